import { LETTER } from "./letters.ts"
import { gapCost, runningWorth, type ByteSpan, worthInFolder, worthInName } from "./score.ts"

/** Where the best match has each letter in the path; none if there is no match. The matcher only
 *  counts points; this goes the same way again and remembers it, for the few that are shown. */
export function positionsOf(letters: Uint8Array, folder: ByteSpan, name: ByteSpan): number[] {
  const seen = [...worths(folder, worthInFolder), ...worths(name, worthInName)]
  let places: Place[] | undefined
  for (const letter of letters) places = placesOf(letter, seen, places)
  let place = places?.reduce((best, each) => (each.points > best.points ? each : best), NOWHERE)
  const positions: number[] = []
  for (; place && place !== NOWHERE; place = place.before) positions.unshift(place.at)
  return positions
}

interface Seen {
  readonly letter: number
  readonly worth: number
}

function worths(
  { bytes, from, to }: ByteSpan,
  worth: (byte: number, isFirst: boolean) => number,
): Seen[] {
  return Array.from(bytes.subarray(from, to), (byte, at) => ({
    letter: byte & LETTER,
    worth: worth(byte, at === 0),
  }))
}

interface Place {
  readonly at: number
  readonly points: number
  readonly before: Place | undefined
}

const NOWHERE: Place = { at: -1, points: Number.NEGATIVE_INFINITY, before: undefined }

/** Every place the letter can have, with the best way there from a place of the letter before. */
function placesOf(letter: number, seen: readonly Seen[], above: readonly Place[] | undefined) {
  const places: Place[] = []
  let next = 0
  let last = NOWHERE
  let most = NOWHERE
  let latest = NOWHERE
  seen.forEach(({ letter: here, worth }, at) => {
    if (here !== letter) return
    if (above === undefined) return void places.push({ at, points: worth, before: undefined })
    for (; (above[next]?.at ?? at) < at; next++) {
      last = above[next]!
      if (last.points > most.points) most = last
      if (last.points + last.at > latest.points + latest.at) latest = last
    }
    const ways = [last, latest, most].map((before) => wayFrom(before, at, worth))
    const best = ways.reduce((best, way) => (way.points > best.points ? way : best))
    if (best.before !== NOWHERE) places.push(best)
  })
  return places
}

function wayFrom(before: Place, at: number, worth: number): Place {
  const gap = at - before.at - 1
  const step = gap === 0 ? runningWorth(worth) : worth - gapCost(gap)
  return { at, points: before.points + step, before }
}
