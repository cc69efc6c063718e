import type { ReaderAnswer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { checkPixels, cutPicture, loadSharp } from "../picture.ts"

/** An image as PNG, upright, whole or a region of it. */
export async function readImage(job: Job): Promise<ReaderAnswer> {
  const sharp = await loadSharp()
  const options = { limitInputPixels: job.limits.pixels, failOn: "error" } as const
  const {
    width,
    height,
    orientation = 1,
    pages = 1,
  } = await sharp(job.file.path, options).metadata()
  checkPixels(job, width, height)
  const turned = orientation >= 5 ? { width: height, height: width } : { width, height }
  const image = cutPicture(sharp(job.file.path, options).autoOrient(), job, turned)
  const made = new MadeFiles(job)
  await made.add(".png", "image/png", await image.png().toBuffer())
  const note = pages > 1 ? { note: `The first of ${pages} pictures in ${job.file.name}.` } : {}
  return { type: "files", files: made.files, ...note }
}
