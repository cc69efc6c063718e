import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { ReaderAnswer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { checkPixels, rawToPng } from "../picture.ts"
import { refuse } from "../refusal.ts"

interface HeifImage {
  get_width(): number
  get_height(): number
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (shown: { data: Uint8ClampedArray } | null) => void,
  ): void
}
interface HeifLibrary {
  HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] }
}

/** A photograph of a telephone as PNG. */
export async function readHeic(job: Job): Promise<ReaderAnswer> {
  const library: HeifLibrary = createRequire(import.meta.url)("libheif-js/wasm-bundle")
  const images = new library.HeifDecoder().decode(await readFile(job.file.path))
  const image = images[0]
  if (!image) return refuse(`${job.file.name} holds no picture that can be decoded.`)
  const width = image.get_width()
  const height = image.get_height()
  checkPixels(job, width, height)
  const data = await shown(image, {
    data: new Uint8ClampedArray(width * height * 4),
    width,
    height,
  })
  const made = new MadeFiles(job)
  await made.add(".png", "image/png", await rawToPng(job, { data, width, height }))
  return { type: "files", files: made.files }
}

function shown(
  image: HeifImage,
  target: { data: Uint8ClampedArray; width: number; height: number },
): Promise<Uint8ClampedArray> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8ClampedArray>()
  image.display(target, (result) =>
    result ? resolve(result.data) : reject(new Error("its picture cannot be decoded")),
  )
  return promise
}
