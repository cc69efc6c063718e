import type { Metadata, Sharp } from "sharp"

export interface ShrinkLimits {
  readonly max_bytes: number
  readonly max_side_pixels?: number | undefined
  /** Types that may come out. */
  readonly mimes: readonly string[]
}

export interface Shrunk {
  readonly bytes: Uint8Array
  readonly mime: string
  readonly width: number
  readonly height: number
}

/** A larger picture is not decoded: it would take more memory than its message is worth. */
const MAX_PIXELS = 100_000_000
const MAX_SECONDS = 20
/** Each attempt is this much smaller on a side than the one before. */
const STEP = 0.75
const SMALLEST_SIDE = 64
const JPEG_QUALITY = 85

/** The image within these limits, as large as they allow; undefined when it cannot be read or made
 *  small enough, or where no decoder is installed. The decoder is loaded when it is first needed. */
export async function shrink(bytes: Uint8Array, limits: ShrinkLimits): Promise<Shrunk | undefined> {
  try {
    const { default: sharp } = await import("sharp")
    const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error" })
    const about = await open().metadata()
    const mime = typeFor(about, limits.mimes)
    return mime === undefined ? undefined : await smaller(open, about, { mime, limits })
  } catch {
    return undefined
  }
}

/** A photograph stays one; what has transparency, or few colours, stays exact where it can. */
function typeFor({ hasAlpha, format }: Metadata, mimes: readonly string[]): string | undefined {
  const exact = hasAlpha || format === "png" || format === "gif" || format === "svg"
  const wish = exact ? ["image/png", "image/webp", "image/jpeg"] : ["image/jpeg", "image/png"]
  return wish.find((mime) => mimes.includes(mime))
}

interface Target {
  readonly mime: string
  readonly limits: ShrinkLimits
}

async function smaller(
  open: () => Sharp,
  { width, height }: Metadata,
  { mime, limits }: Target,
): Promise<Shrunk | undefined> {
  let side = Math.min(Math.max(width, height), limits.max_side_pixels ?? Infinity)
  do {
    const { data, info } = await encoded(open(), Math.floor(side), mime)
    if (data.length <= limits.max_bytes)
      return { bytes: data, mime, width: info.width, height: info.height }
    side *= STEP
  } while (side >= SMALLEST_SIDE)
  return undefined
}

// A photograph may lie on its side and say so in words that do not survive: it is turned first.
function encoded(image: Sharp, side: number, mime: string) {
  const fitted = image
    .timeout({ seconds: MAX_SECONDS })
    .autoOrient()
    .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
  return inType(fitted, mime).toBuffer({ resolveWithObject: true })
}

function inType(image: Sharp, mime: string): Sharp {
  if (mime === "image/png") return image.png()
  if (mime === "image/webp") return image.webp({ quality: JPEG_QUALITY })
  return image.flatten({ background: "white" }).jpeg({ quality: JPEG_QUALITY })
}
