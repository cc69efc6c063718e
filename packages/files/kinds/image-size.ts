export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The dimensions an image's header states, for PNG, JPEG, GIF and WebP. Nothing is decoded;
 *  undefined when the header is damaged or of another format. A JPEG may say its size late: give
 *  the first megabyte where you can. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = readHeader(view)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

function readHeader(view: DataView): ImageSize | undefined {
  if (view.byteLength < 10) return undefined
  if (view.getUint32(0) === 0x89504e47) return pngSize(view)
  if (view.getUint16(0) === 0xffd8) return jpegSize(view)
  const word = ascii(view, 0, 4)
  if (word === "GIF8") return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  if (word === "RIFF") return webpSize(view)
  return undefined
}

function pngSize(view: DataView): ImageSize | undefined {
  const complete = view.byteLength >= 24 && view.getUint32(4) === 0x0d0a1a0a
  if (!complete || ascii(view, 12, 4) !== "IHDR") return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrame(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else at += 2 + segmentLength(view, at, marker)
  }
  return undefined
}

/** Start-of-frame markers; DHT, JPG and DAC share their range and are none. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function segmentLength(view: DataView, at: number, marker: number): number {
  const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
  return standsAlone ? 0 : view.getUint16(at + 2)
}

function webpSize(view: DataView): ImageSize | undefined {
  // The shortest WebP, one lossless pixel, has 26 bytes.
  if (view.byteLength < 26 || ascii(view, 8, 4) !== "WEBP") return undefined
  switch (ascii(view, 12, 4)) {
    case "VP8 ":
      return lossySize(view)
    case "VP8L":
      return losslessSize(view)
    case "VP8X":
      return extendedSize(view)
  }
  return undefined
}

function lossySize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined
  const startCode = view.getUint8(23) === 0x9d && view.getUint16(24) === 0x012a
  if (!startCode) return undefined
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function losslessSize(view: DataView): ImageSize | undefined {
  if (view.getUint8(20) !== 0x2f) return undefined
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function extendedSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined
  return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function ascii(view: DataView, at: number, length: number): string {
  let text = ""
  for (let index = at; index < at + length; index++)
    text += String.fromCharCode(view.getUint8(index))
  return text
}
