// What one message may weigh. Every byte from outside meets one of these before it meets code.

/** A thousand references with words between them are two thousand parts, and fit twice. */
export const MAX_PARTS = 4096
export const MAX_TEXT_CHARACTERS = 4 * 1024 * 1024
export const MAX_NAME_CHARACTERS = 1024
export const MAX_PATH_CHARACTERS = 4096
export const MAX_URL_CHARACTERS = 8192
export const MAX_MIME_CHARACTERS = 255
export const MAX_CONTEXT_CHARACTERS = 1024 * 1024
/** MCP servers that one session may be given. */
export const MAX_SESSION_SERVERS = 32
/** Base64 in a JSON body; larger files are uploaded as a stream and named by their content id. */
export const MAX_INLINE_BASE64_CHARACTERS = 24 * 1024 * 1024
/** A part keeps its bytes inline up to here; past it they live in the blob store (decision 9). */
export const INLINE_ATTACHMENT_BYTES = 64 * 1024
