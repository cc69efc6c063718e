import type { Media, MediaBlock } from "compositor-core/model/prompt"
import { base64Of, dataUrlOf } from "./fragment.ts"

/** How a server that speaks Chat Completions differs from the others. */
export interface Dialect {
  readonly name: string
  /** The provider that speaks it. */
  readonly id: string
  /** The key of the capability table. */
  readonly api: string
  readonly system: "developer" | "system"
  readonly max_tokens: "max_completion_tokens" | "max_tokens"
  /** Words alone go as one string: some servers make a message of its own of each piece. */
  readonly plain_text: boolean
  /** The templates of many models on such a server fail when a user speaks twice in a row. */
  readonly alternates: boolean
  /** Under which name thoughts come and are sent back; null where they stay with the server. */
  readonly thoughts: "reasoning_content" | "reasoning" | null
  /** Takes `reasoning_effort`. */
  readonly effort: boolean
  /** How a medium is written, where the dialect has a place for it. */
  readonly media: Readonly<Partial<Record<MediaBlock["type"], (media: Media) => object>>>
}

function imageUrl(media: Media): object {
  return { type: "image_url", image_url: { url: dataUrlOf(media) } }
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" }

function inputAudio(media: Media): object {
  const format = AUDIO_FORMATS[media.mime]
  return { type: "input_audio", input_audio: { data: base64Of(media), format } }
}

function file(media: Media): object {
  return { type: "file", file: { filename: media.name, file_data: dataUrlOf(media) } }
}

function inputVideo(media: Media): object {
  return { type: "input_video", input_video: { data: base64Of(media) } }
}

function videoUrl(media: Media): object {
  return { type: "video_url", video_url: { url: dataUrlOf(media) } }
}

const LOCAL = {
  system: "system",
  max_tokens: "max_tokens",
  plain_text: true,
  alternates: true,
} as const

export const OPENAI: Dialect = {
  name: "openai",
  id: "openai-chat",
  api: "openai-chat",
  system: "developer",
  max_tokens: "max_completion_tokens",
  plain_text: false,
  alternates: false,
  thoughts: null,
  effort: true,
  media: {
    image: imageUrl,
    audio: inputAudio,
    document: file,
  },
}

/** The dialects by the name of the server that speaks them. */
export const DIALECTS: readonly Dialect[] = [
  OPENAI,
  {
    ...LOCAL,
    name: "ollama",
    id: "ollama",
    api: "openai-chat/ollama",
    thoughts: "reasoning",
    effort: true,
    media: { image: imageUrl, audio: inputAudio },
  },
  {
    ...LOCAL,
    name: "llama-cpp",
    id: "llama-cpp",
    api: "openai-chat/llama-cpp",
    thoughts: "reasoning_content",
    effort: false,
    media: {
      image: imageUrl,
      audio: inputAudio,
      video: inputVideo,
    },
  },
  {
    ...LOCAL,
    name: "vllm",
    id: "vllm",
    api: "openai-chat/vllm",
    thoughts: "reasoning_content",
    effort: true,
    media: {
      image: imageUrl,
      audio: inputAudio,
      video: videoUrl,
    },
  },
  {
    ...LOCAL,
    name: "lm-studio",
    id: "lm-studio",
    api: "openai-chat/lm-studio",
    thoughts: null,
    effort: false,
    media: { image: imageUrl },
  },
  {
    ...LOCAL,
    name: "plain",
    id: "openai-compatible",
    api: "openai-chat/plain",
    thoughts: null,
    effort: false,
    media: { image: imageUrl },
  },
]
