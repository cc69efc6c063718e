import { z } from "zod"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "../message/limits.ts"
import { fileAttachmentPart } from "../parts/file-attachment.ts"
import { SCHEMAS } from "../parts/schemas.ts"
import { CommandsQuery, Flag } from "./fields.ts"
import { route } from "./route.ts"

const Path = z.string().max(MAX_PATH_CHARACTERS)

/** Which file: a path in the workspace, or a content that the session's messages carry. */
export const FileQuery = z.object({
  ...CommandsQuery,
  path: Path.optional(),
  content_id: z.string().max(80).optional(),
  name: z.string().min(1).max(MAX_NAME_CHARACTERS).default("file"),
})

/** A file of the workspace by its path, or one that the session's messages carry. */
export type FilePlaced =
  | (CommandsQuery & { readonly path: string })
  | { readonly session: string; readonly content_id: string; readonly name: string }

/** What lies in a folder of the workspace. */
export const FolderEntry = z.object({
  name: z.string(),
  /** From the workspace's root, with slashes. */
  path: z.string(),
  is_folder: z.boolean(),
  size: z.int().nullable(),
})
export type FolderEntry = z.infer<typeof FolderEntry>

/** A file that a message carries or names: its part and where it stands. */
export const CarriedFile = z.looseObject({
  type: z.string(),
  message_id: z.string(),
  part_id: z.string(),
  role: z.string(),
  name: z.string().optional(),
  mime: z.string().optional(),
  size: z.int().optional(),
  content_id: z.string().optional(),
  /** Where the bytes are in the part alone. */
  data: z.string().optional(),
  ref: z.looseObject({}).optional(),
})
export type CarriedFile = z.infer<typeof CarriedFile>

export const files = {
  listFolder: route("GET /v1/files", {
    about: "What lies in a folder of the workspace, but for what the policy hides",
    query: z.object({ ...CommandsQuery, folder: Path.default("") }),
    answer: z.object({ folder: z.string(), entries: z.array(FolderEntry), more: z.boolean() }),
  }),
  readFile: route("GET /v1/files/content", {
    about: "The bytes of a file of the workspace, or of one inside an archive",
    query: FileQuery.extend({ entry: Path.optional() }),
  }),
  listArchive: route("GET /v1/files/inside", {
    about: "What an archive says it holds",
    query: FileQuery,
    answer: z.object({
      format: z.string(),
      entries: z.array(z.object({ name: z.string(), size: z.int().nullable() })),
      more: z.boolean(),
    }),
  }),
  readFileText: route("GET /v1/files/text", {
    about: "The text that can be taken out of a document",
    query: FileQuery,
    answer: z.object({ text: z.string(), truncated: z.boolean(), note: z.string().optional() }),
  }),
  listCarriedFiles: route("GET /v1/sessions/:id/files", {
    about: "The files that the messages of a session carry or name, the last first",
    query: z.object({ before: z.string().max(200).optional() }),
    answer: z.object({ files: z.array(CarriedFile), next: z.string().nullable() }),
  }),
}

export const Upload = z.object({
  content_id: z.string(),
  size: z.int(),
  mime: z.string(),
  name: z.string(),
  /** What is seen to be wrong with it. */
  condition: z.enum(["encrypted", "damaged"]).optional(),
  /** What to put into a message. */
  part: fileAttachmentPart.schema(SCHEMAS),
})
export type Upload = z.infer<typeof Upload>

export const blobs = {
  upload: route("POST /v1/blobs", {
    about: "Upload a file as a stream; the answer has the part that a message carries",
    query: z.object({
      name: z.string().min(1).max(1024).default("file"),
      /** Carry the bytes of a small readable file in the part too. */
      inline: Flag.optional(),
    }),
    answer: Upload,
    status: 201,
    errors: { 413: "The file is too large" },
  }),
  readBlob: route("GET /v1/sessions/:id/blobs/:content", {
    about: "The bytes that a part of this session carries; ranges are answered",
  }),
}
