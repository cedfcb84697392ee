/** One step of the tables' way to what this version needs. Steps are only ever added. */
export interface Migration {
  readonly number: number;
  readonly sql: string;
}

const TABLES = ["conversations", "originals", "pieces", "journal", "leases"] as const;

/** A name that may be a word of SQL, too. */
export function quoted(name: string): string {
  return `"${name}"`;
}

/**
 * All steps, in order, for the schema with this name; each notes that it was taken. Every table has the
 * tenant first and a policy that shows a transaction the rows of its own tenant only; the policy binds
 * the tables' owner, too.
 */
export function migrations(schema: string): readonly Migration[] {
  const first = [FIRST, ...TABLES.map((table) => POLICY.replaceAll("{table}", table))].join("\n");
  return [first, SECOND].map((sql, at) => ({
    number: at + 1,
    sql: `${sql}
insert into {schema}.migrations (number) values (${at + 1});
`.replaceAll("{schema}", quoted(schema)),
  }));
}

/** The table that notes the steps; making it twice changes nothing. */
export function migrationsTable(schema: string): string {
  return `create schema if not exists ${quoted(schema)};
create table if not exists ${quoted(schema)}.migrations (
  number int primary key, applied_at timestamptz not null default now()
);`;
}

const FIRST = `
-- A conversation is what is kept and removed as a whole. Its key is the SHA-256 of its id, because an
-- id may be any text, longer than an index takes and with characters that no text here can hold.
create table {schema}.conversations (
  tenant text not null,
  key bytea not null,
  id text not null,
  used_at timestamptz not null default clock_timestamp(),
  primary key (tenant, key)
);
create index conversations_by_use on {schema}.conversations (tenant, used_at);

-- The first megabyte of an original stands beside its name; most have no more.
create table {schema}.originals (
  tenant text not null,
  conversation bytea not null,
  handle text not null,
  bytes bigint not null,
  digest bytea not null,
  start bytea not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation, handle),
  foreign key (tenant, conversation) references {schema}.conversations on delete cascade
);

create table {schema}.pieces (
  tenant text not null,
  conversation bytea not null,
  handle text not null,
  number int not null,
  content bytea not null,
  primary key (tenant, conversation, handle, number),
  foreign key (tenant, conversation, handle) references {schema}.originals on delete cascade
);

-- JSON as text: jsonb has no place for the character zero.
create table {schema}.journal (
  tenant text not null,
  conversation bytea not null,
  number int not null,
  entry text not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (tenant, conversation, number),
  foreign key (tenant, conversation) references {schema}.conversations on delete cascade
);

-- The one who edits a conversation, and until when at the most.
create table {schema}.leases (
  tenant text not null,
  conversation bytea not null,
  holder text not null,
  until timestamptz not null,
  primary key (tenant, conversation),
  foreign key (tenant, conversation) references {schema}.conversations on delete cascade
);
`;

const SECOND = `
-- An original in a bucket, by the name of its object there; nothing of it stands here then.
alter table {schema}.originals add column object text;
create index originals_in_bucket on {schema}.originals (tenant, object) where object is not null;
`;

const POLICY = `alter table {schema}.{table} enable row level security;
alter table {schema}.{table} force row level security;
create policy own_tenant on {schema}.{table}
  using (tenant = current_setting('longhaul.tenant', true))
  with check (tenant = current_setting('longhaul.tenant', true));
`;
