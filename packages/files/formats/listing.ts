import { cappedText } from "./capped-text.ts"
import { refused } from "./converted.ts"
import type { Route } from "./route.ts"
import { listArchive } from "./when-needed.ts"

/** What an archive holds, without taking it out. */
export const listing: Route = async ({ path, name }, _request, { limits, signal }) => {
  const listed = await listArchive({ path, name }, undefined, signal)
  if (listed.type === "refused") return refused(`${name} cannot be listed: ${listed.reason}.`)
  if (listed.type === "unsupported") return refused(`${name} is an archive that is not read here.`)
  const { entries, more } = listed
  return cappedText(limits.text_bytes, (text) => {
    for (const entry of entries) text.line(`${entry.name}\t${entry.size ?? ""}`)
    return `${more ? "More than " : ""}${entries.length} entries; take one out by its name.`
  })
}
