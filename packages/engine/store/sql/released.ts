import { MIGRATIONS } from "./schema.ts"

/** The tables that a database has after so many migrations. */
export function tablesAfter(count: number): string[] {
  return MIGRATIONS.slice(0, count).flatMap((migration) =>
    [...migration.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name),
  )
}

/** What is said of a database from before the first release. */
export function unreleasedSentence(place: string, table: string): string {
  return (
    `${place} was made by a version from before the first release (it has no ${table}), which no ` +
    "version reads: move it away or name another with --data or --store, and begin anew"
  )
}
