export function words(table: string): readonly string[] {
  return table.trim().split(/\s+/);
}
