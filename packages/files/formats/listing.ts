import { cappedText } from "./capped-text.ts"
import { refuseConversion } from "./converted.ts"
import type { ConvertRoute } from "./route.ts"
import { listArchiveWhenNeeded } from "./when-needed.ts"

/** What an archive holds, without taking it out. */
export const listing: ConvertRoute = async ({ path, name }, _request, { limits, signal }) => {
  const listed = await listArchiveWhenNeeded({ path, name }, undefined, signal)
  if (listed.type === "refused")
    return refuseConversion(`${name} cannot be listed: ${listed.reason}.`)
  if (listed.type === "unsupported")
    return refuseConversion(`${name} is an archive that is not read here.`)
  const { entries, more } = listed
  return cappedText(limits.text_bytes, (text) => {
    for (const entry of entries) text.line(`${entry.name}\t${entry.size ?? ""}`)
    return `${more ? "More than " : ""}${entries.length} entries; take one out by its name.`
  })
}
