import type { FileFragment } from "compositor-core/message/file-location"
import type { Job } from "./converted.ts"
import { refuse } from "./refusal.ts"

type Sharp = typeof import("sharp").default
type Image = ReturnType<Sharp>

/** The longest side of a picture that we make of something that has no pixels of its own. */
export const LONGEST_SIDE = 2000

/** The image library, told to be careful: no cache, one thread, nothing larger than allowed. */
export async function loadSharp(): Promise<Sharp> {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

export interface RawPicture {
  readonly data: Uint8Array | Uint8ClampedArray
  readonly width: number
  readonly height: number
}

/** Four bytes a pixel as PNG, cut to the region that was asked for. */
export async function rawToPng(job: Job, { data, width, height }: RawPicture): Promise<Buffer> {
  const sharp = await loadSharp()
  const image = sharp(data, { raw: { width, height, channels: 4 } })
  return cutPicture(image, job, { width, height }).png().toBuffer()
}

/** Only the region of an image that was asked for. */
export function cutPicture(
  image: Image,
  { fragment, file }: Pick<Job, "fragment" | "file">,
  { width, height }: { readonly width: number; readonly height: number },
): Image {
  if (fragment?.unit !== "region") return image
  const { left, top, right, bottom } = pixels(fragment, width, height)
  if (left >= width || top >= height)
    refuse(`${file.name} is ${width} × ${height} pixels, and has nothing at ${left},${top}.`)
  const size = { width: Math.min(right, width) - left, height: Math.min(bottom, height) - top }
  return image.extract({ left, top, ...size })
}

function pixels(
  { measure, x, y, width, height }: Extract<FileFragment, { unit: "region" }>,
  fullWidth: number,
  fullHeight: number,
) {
  const across = measure === "percent" ? fullWidth / 100 : 1
  const down = measure === "percent" ? fullHeight / 100 : 1
  const left = Math.floor(x * across)
  const top = Math.floor(y * down)
  return {
    left,
    top,
    right: Math.max(left + 1, Math.ceil((x + width) * across)),
    bottom: Math.max(top + 1, Math.ceil((y + height) * down)),
  }
}

export function checkPixels({ file, limits }: Job, width: number, height: number): void {
  if (!(width > 0 && height > 0)) refuse(`${file.name} says that it has no pixels.`)
  if (width * height > limits.pixels)
    refuse(`${file.name} is ${width} × ${height} pixels; at most ${limits.pixels} are decoded.`)
}
