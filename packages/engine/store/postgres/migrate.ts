import { rowsAs } from "../sql/program.ts"
import { tablesAfter, unreleasedSentence } from "../sql/released.ts"
import { codeOf } from "./failure.ts"
import type { PostgresLink } from "./link.ts"
import { POSTGRES_MIGRATIONS } from "./schema.ts"

const KNOWN = POSTGRES_MIGRATIONS.length

/** Bring the database to this version. Nodes that start at once wait for the one that holds the row;
 *  whoever gets it second finds nothing left to do. */
export async function migrate(link: PostgresLink): Promise<void> {
  await createVersion(link)
  const version = await versionOf(link)
  refuseNewer(version)
  await refuseUnreleased(link, version)
  if (version === KNOWN) return
  await link.say("BEGIN")
  try {
    const { rows } = await link.ask("SELECT version FROM compositor_schema FOR UPDATE")
    const seen = rowsAs<{ version: number }>(rows)[0]?.version ?? 0
    refuseNewer(seen)
    for (const migration of POSTGRES_MIGRATIONS.slice(seen)) await link.say(migration)
    await link.ask("UPDATE compositor_schema SET version = ?", [KNOWN])
    await link.say("COMMIT")
  } catch (error) {
    await link.say("ROLLBACK").catch(() => undefined)
    throw error
  }
}

async function refuseUnreleased(link: PostgresLink, version: number) {
  const wanted = tablesAfter(version)
  const { rows } = await link.ask(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()",
  )
  const there = new Set(rowsAs<{ name: string }>(rows).map(({ name }) => name))
  const missing = wanted.find((name) => !there.has(name))
  if (missing !== undefined) throw new Error(unreleasedSentence("the database", missing))
}

/** Another node may have brought it to a later version since. */
export async function refuseNewerSchema(link: PostgresLink): Promise<void> {
  refuseNewer(await versionOf(link))
}

async function createVersion(link: PostgresLink) {
  try {
    await link.say(CREATE_VERSION)
  } catch (error) {
    // Two that create the same table at the same moment: the other one did.
    if (!THERE_ALREADY.has(codeOf(error))) throw error
    await link.say(CREATE_VERSION)
  }
}

const THERE_ALREADY: ReadonlySet<string> = new Set(["23505", "42710", "42P07"])

const CREATE_VERSION = `
  CREATE TABLE IF NOT EXISTS compositor_schema (
    one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one), version BIGINT NOT NULL);
  INSERT INTO compositor_schema (version) VALUES (0) ON CONFLICT DO NOTHING`

async function versionOf(link: PostgresLink): Promise<number> {
  const { rows } = await link.ask("SELECT version FROM compositor_schema")
  return rowsAs<{ version: number }>(rows)[0]?.version ?? 0
}

function refuseNewer(seen: number) {
  if (seen > KNOWN)
    throw new Error(
      `this database was written by a newer version (schema ${seen}, known ${KNOWN}): update this node`,
    )
}
