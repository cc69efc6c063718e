/** Ends the reading of a file with a sentence for the user. Only `child.ts` catches it. */
export class ReadingRefused extends Error {}

export function refuse(reason: string): never {
  throw new ReadingRefused(reason)
}
