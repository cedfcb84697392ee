import type { Command } from "commander";
import { postgresArchive, postgresMigrations } from "../archive/postgres/postgres.ts";
import { plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, printOriginal, tell } from "./io.ts";
import { schemaOption } from "./options.ts";

interface MigrateOptions extends CommonOptions {
  readonly schema: string;
  readonly print?: boolean;
}

/** `longhaul migrate`: the tables of an archive in PostgreSQL. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Makes the tables of an archive in PostgreSQL, or brings them up to date; safe when many do it at once. The database is LONGHAUL_DATABASE_URL, or what PGHOST, PGUSER, PGPASSWORD and PGDATABASE say: a password has no place among arguments.",
    )
    .option("--schema <name>", "the schema that holds the tables", schemaOption, "longhaul")
    .option("--print", "only print the SQL, for whoever applies it by hand")
    .action((options: MigrateOptions) => migrate(io, options));
}

async function migrate(io: Io, { schema, print, json }: MigrateOptions): Promise<void> {
  const steps = postgresMigrations(schema);
  if (print === true) {
    return printOriginal(
      io,
      steps.flatMap(({ number, sql }) => [`-- step ${number}`, sql.trim()]),
    );
  }
  const url = io.env["LONGHAUL_DATABASE_URL"];
  const archive = postgresArchive({ schema, connectionString: url });
  try {
    const applied = await archive.migrate();
    const done = `${plural(applied.length, "step")} applied to the schema ${schema}.`;
    tell(io, { json }, { schema, applied }, () => [
      applied.length > 0 ? done : `The schema ${schema} is up to date.`,
    ]);
  } finally {
    await archive.close();
  }
}
