import type { Archive } from "../archive/archive.ts";
import { directoryArchive, type DirectoryArchiveOptions } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import type { SettingsPlace } from "./settings.ts";

/**
 * The archive of the command line and the plugins, which keeps what the person's settings say. They
 * are read when something may have to go; where they cannot be used, nothing goes.
 */
export function homeArchive(
  env: SettingsPlace["env"],
  options: Omit<DirectoryArchiveOptions, "retention"> = {},
): Archive {
  const retention = async () => (await import("./settings.ts")).ownRetention(env);
  return directoryArchive(archiveFolder(env), { ...options, retention });
}
