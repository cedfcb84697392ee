/** `longhaul/archive/s3`: originals and journals of many machines in one bucket. */
export { s3Archive } from "../archive/s3/s3.ts";
export type { S3Archive, S3ArchiveOptions } from "../archive/s3/s3.ts";
export type { ListOptions, S3Object, S3Objects, S3Sender } from "../archive/s3/objects.ts";
export type { Collected, CollectOptions } from "../archive/collected.ts";
export type { LeaseEvent, OnLease } from "../archive/lease.ts";
