/** `longhaul/archive/postgres`: originals and journals of many machines in one database. */
export { postgresArchive, postgresMigrations } from "../archive/postgres/postgres.ts";
export type { PostgresArchive } from "../archive/postgres/postgres.ts";
export type { PostgresArchiveOptions } from "../archive/postgres/store.ts";
export type { Collected, CollectOptions } from "../archive/collected.ts";
export type { LeaseEvent, OnLease } from "../archive/lease.ts";
export type { PostgresClient, PostgresPool } from "../archive/postgres/connection.ts";
export type { Migration } from "../archive/postgres/migrations.ts";
