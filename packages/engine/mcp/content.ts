import type { Part } from "compositor-core/parts/table"
import type { ContentBlock } from "@modelcontextprotocol/client"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { imageSize } from "compositor-files/kinds/image-size"
import { sniff } from "compositor-files/kinds/sniff"
import type { Block, Media } from "compositor-core/model/prompt"

/** What a server sends may be as long as the protocol lets it: this is as much as we keep of one. */
const MAX_CONTENT_BYTES = 8 * 1024 * 1024

/** Content of a server as parts of a user's message, each with the server it came from. Nothing of it
 *  is read as a command or a mention. */
export function partOfContent(content: ContentBlock, server: string): Part {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text, server }
    case "image":
    case "audio":
      return attached(content.data, {
        name: `${server}.${content.type}`,
        mime: content.mimeType,
        server,
      })
    case "resource_link":
      return {
        type: "file-ref",
        ref: { kind: "mcp", server, uri: content.uri },
        name: content.name,
      }
    case "resource":
      return partOfResource(content.resource, server)
  }
}

interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

export function partOfResource(resource: ResourceContents, server: string): Part {
  const { uri, mimeType, text, blob } = resource
  const data = blob ?? Buffer.from(text ?? "").toString("base64")
  const mime = mimeType ?? (blob === undefined ? "text/plain" : "application/octet-stream")
  return attached(data, { name: uri, mime, server })
}

function attached(data: string, about: { name: string; mime: string; server: string }): Part {
  const size = Buffer.byteLength(data, "base64")
  if (size <= MAX_CONTENT_BYTES) return { type: "file-attachment", data, size, ...about }
  // Too much to carry: what it is is still told.
  return { type: "file-attachment", size, ...about }
}

/** Content of a server as a model is shown it. What it is, its bytes say and not the server. */
export async function blockOfContent(
  content: ContentBlock,
  server: string,
  blobs: Pick<BlobStore, "putBytes">,
): Promise<Block> {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text.slice(0, MAX_CONTENT_BYTES).toWellFormed() }
    case "image":
    case "audio":
      return mediaBlock(content.data, `${server}.${content.type}`, blobs)
    case "resource_link":
      return { type: "text", text: `[resource of ${server}: ${content.uri} (${content.name})]` }
    case "resource": {
      const { resource } = content
      if (!("blob" in resource))
        return { type: "text", text: `Resource ${resource.uri}:\n${resource.text}`.toWellFormed() }
      return mediaBlock(resource.blob, resource.uri, blobs)
    }
  }
}

async function mediaBlock(
  data: string,
  name: string,
  blobs: Pick<BlobStore, "putBytes">,
): Promise<Block> {
  const bytes = Buffer.from(data, "base64")
  const { mime, kind } = await sniff(bytes, name, true)
  if (bytes.length > MAX_CONTENT_BYTES) return described(name, mime, bytes.length)
  const size = kind === "image" ? imageSize(bytes) : undefined
  if (kind !== "audio" && kind !== "video" && kind !== "pdf" && !size)
    return described(name, mime, bytes.length)
  const { content_id } = await blobs.putBytes(bytes)
  const media: Media = { mime, name, size: bytes.length, content_id }
  if (size) return { type: "image", media, ...size }
  return kind === "audio" || kind === "video" ? { type: kind, media } : { type: "document", media }
}

function described(name: string, mime: string, bytes: number): Block {
  return { type: "text", text: `[file: ${name}, ${mime}, ${bytes} bytes. Not shown.]` }
}
