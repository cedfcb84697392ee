import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./database.ts";

/** Whether Ceph's object store is installed, as `.ci/run` and `npm run test:fleet` see to. */
export const HAS_S3 = spawnSync("radosgw", ["--version"]).status === 0;

/** A real S3 server: Ceph's radosgw. */
export interface S3Server {
  readonly endpoint: string;
  /** The environment that lets the AWS client in. */
  readonly env: Readonly<Record<string, string>>;
  readonly client: S3Client;
  /** Makes a bucket. */
  bucket(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-s3-"));
  const [accessKeyId, secretAccessKey] = ["tests", "the-secret-of-tests"];
  const script = fileURLToPath(new URL("s3-server.sh", import.meta.url));
  const [port, monitorPort] = [String(await freePort()), String(await freePort())];
  const child = spawn(script, [folder, port, monitorPort, accessKeyId, secretAccessKey], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => {
      throw new Error("the S3 server did not start");
    }),
  ]);
  const endpoint = `http://127.0.0.1:${port}`;
  const env = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  return {
    endpoint,
    env,
    client,
    async bucket(name) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return name;
    },
    async stop() {
      client.destroy();
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
