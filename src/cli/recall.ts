import { directoryArchive } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import { type CommonOptions, type Io, printJson } from "./io.ts";

/** `longhaul recall HANDLE`: an original, byte for byte, on stdout. */
export async function recallCommand(
  io: Io,
  handle: string,
  { json }: CommonOptions,
): Promise<void> {
  const content = await directoryArchive(archiveFolder(io.env)).get(handle);
  if (json === true) printJson(io, { version: 1, handle, content });
  else io.stdout.write(content);
}
