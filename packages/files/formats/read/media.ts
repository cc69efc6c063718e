import type { InputAudioTrack, InputTrack, InputVideoTrack } from "mediabunny"
import type { ReaderAnswer, Job } from "../converted.ts"
import { cappedText } from "../capped-text.ts"

const MAX_TRACKS = 32

/** What a recording is: how long, how large, which codecs. Nothing of it is decoded. */
export async function readMedia({ file, limits }: Job): Promise<ReaderAnswer> {
  const { ALL_FORMATS, FilePathSource, Input } = await import("mediabunny")
  const input = new Input({ source: new FilePathSource(file.path), formats: ALL_FORMATS })
  const format = await input.getFormat()
  const seconds = await input.computeDuration()
  const tracks = await input.getTracks()
  return cappedText(limits.text_bytes, async (text) => {
    text.line(`${file.name}: ${format.name}, ${shownTime(seconds)}, ${file.size} bytes`)
    for (const track of tracks.slice(0, MAX_TRACKS)) text.line(`- ${await described(track)}`)
  })
}

async function described(track: InputTrack): Promise<string> {
  const codec = (await track.getCodec()) ?? "unknown codec"
  const language = await track.getLanguageCode()
  const about = track.isVideoTrack()
    ? await picture(track)
    : track.isAudioTrack()
      ? await sound(track)
      : track.type
  return `${about}, ${codec}${language === "und" ? "" : `, ${language}`}`
}

async function picture(track: InputVideoTrack): Promise<string> {
  return `video ${await track.getDisplayWidth()} × ${await track.getDisplayHeight()}`
}

async function sound(track: InputAudioTrack): Promise<string> {
  return `audio ${await track.getSampleRate()} Hz, ${await track.getNumberOfChannels()} channels`
}

function shownTime(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const clock = parts.map((part) => String(part).padStart(2, "0")).join(":")
  return `${clock} (${seconds.toFixed(2)} seconds)`
}
