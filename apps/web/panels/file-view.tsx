import { useCallback, useEffect, useRef, useState } from "react"
import { printAddress } from "compositor-core/compose/address"
import { useAsking } from "../state/use-request.ts"
import {
  type ChosenFile,
  isArchive,
  isDocument,
  type FileChoice,
  type Preview,
  previewOf,
} from "./chosen-file.ts"
import { useApp, useStore, useWhere } from "../state/context.ts"
import { Button, IconButton } from "../controls/controls.tsx"
import { saveAs } from "../thread/download.ts"
import { formatBytes } from "../state/format.ts"
import { BackIcon, ClipIcon, DownloadIcon } from "../controls/icons.tsx"
import { chosenModel } from "../composer/model-picker.tsx"
import { Quiet, Section } from "./panel.tsx"
import { Receipts } from "../inspector/receipts.tsx"
import { filesStrings as words } from "../state/strings/files.ts"

/** More than this is downloaded, not shown. */
const PREVIEW_BYTES = 4 * 1024 * 1024

/** One file: what a model would get of it, what is in it, and what can be done with it. */
export function FileView({ file, onBack }: { file: ChosenFile; onBack: () => void }) {
  const { actions, store } = useApp()
  const where = useWhere()
  const [opened, setOpened] = useState<"text" | "inside">()
  const { name, size, place } = file
  const put = usePutting(file)
  const download = () =>
    actions.try(async () => {
      if (!place) return
      const response = await store.client.files.content({ ...where, ...place })
      await saveAs(name.split("/").at(-1) ?? name, response)
    })
  return (
    <div className="space-y-5 text-sm">
      <Button className="-ml-2.5" onClick={onBack}>
        <BackIcon className="size-4" />
        {words.back}
      </Button>
      <div>
        <h3 className="font-semibold break-all">{name}</h3>
        {size !== undefined && <p className="text-xs text-muted">{formatBytes(size)}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="outline" onClick={put}>
          {words.attach}
        </Button>
        {place && (
          <Button look="outline" onClick={() => void download()}>
            {words.download}
          </Button>
        )}
        {place && isArchive(name) && (
          <Button look="outline" onClick={() => setOpened("inside")}>
            {words.lookInside}
          </Button>
        )}
        {place && isDocument(name) && (
          <Button look="outline" onClick={() => setOpened("text")}>
            {words.takeText}
          </Button>
        )}
      </div>
      <Section title={words.route}>
        <Fate file={file} />
      </Section>
      {place && opened === "inside" && <Inside place={place} />}
      {place && opened === "text" && <Extracted place={place} />}
      {place && <Shown file={file} place={place} />}
    </div>
  )
}

/** A file of the workspace is named in the text; anything else goes along beside it. */
function usePutting({ name, part, place }: ChosenFile, entry?: string) {
  const { actions, desk } = useApp()
  return () => {
    const address =
      place && "path" in place
        ? printAddress({ path: place.path, ...(entry === undefined ? {} : { entry }) })
        : undefined
    if (address === undefined) actions.attach.part(part)
    else {
      const key = actions.draftKey
      const text = desk.text(key)
      desk.write(key, `${text}${text === "" || /\s$/.test(text) ? "" : " "}@${address} `)
    }
    actions.say(words.attached(entry ?? name))
  }
}

/** The dry run of this file alone, for the model that is chosen. */
function Fate({ file: { part } }: { file: ChosenFile }) {
  const { store } = useApp()
  const { session } = useWhere()
  const model = useStore(chosenModel)
  const { answer } = useAsking(
    useCallback(
      () =>
        store.client.lower({
          message: { parts: [part] },
          ...(model ? { model } : {}),
          ...(session === undefined ? {} : { session_id: session }),
        }),
      [store, part, model, session],
    ),
  )
  if (!answer) return null
  return (
    <Receipts
      receipts={answer.receipts}
      partFor={(receipt) => answer.parts[Number(receipt.part)]}
    />
  )
}

function Inside({ place }: { place: FileChoice }) {
  const { actions, store } = useApp()
  const where = useWhere()
  const { answer } = useAsking(
    useCallback(() => store.client.files.inside({ ...where, ...place }), [store, where, place]),
  )
  const download = (entry: string) =>
    actions.try(async () => {
      const response = await store.client.files.content({ ...where, ...place, entry })
      await saveAs(entry.split("/").at(-1) ?? entry, response)
    })
  if (!answer) return null
  return (
    <Section title={words.inside(answer.entries.length)}>
      <ul>
        {answer.entries.map(({ name, size }) => (
          <li key={name} className="flex items-center gap-1 py-0.5">
            <span className="min-w-0 flex-1 font-mono text-xs break-all">{name}</span>
            <span className="text-xs text-muted">{size !== null && formatBytes(size)}</span>
            {"path" in place && <PutEntry place={place} entry={name} />}
            <IconButton
              className="size-7"
              label={words.downloadEntry(name)}
              onClick={() => void download(name)}
            >
              <DownloadIcon className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
      {answer.more && <Quiet>{words.cut}</Quiet>}
    </Section>
  )
}

function PutEntry({ place, entry }: { place: { readonly path: string }; entry: string }) {
  const { path } = place
  const part = { type: "file-ref" as const, ref: { kind: "path" as const, path, entry } }
  const put = usePutting({ name: entry, size: undefined, part, place }, entry)
  return (
    <IconButton className="size-7" label={words.attachEntry(entry)} onClick={put}>
      <ClipIcon className="size-4" />
    </IconButton>
  )
}

function Extracted({ place }: { place: FileChoice }) {
  const { store } = useApp()
  const where = useWhere()
  const { answer } = useAsking(
    useCallback(() => store.client.files.text({ ...where, ...place }), [store, where, place]),
  )
  if (!answer) return null
  return (
    <Section title={words.text}>
      <Text text={answer.text} isCut={answer.truncated} />
    </Section>
  )
}

function Shown({ file: { name, size = 0 }, place }: { file: ChosenFile; place: FileChoice }) {
  const { store } = useApp()
  const where = useWhere()
  const { answer } = useAsking<Preview>(
    useCallback(async () => {
      if (size > PREVIEW_BYTES) return { type: "none" }
      const response = await store.client.files.content({ ...where, ...place })
      return previewOf(name, await response.arrayBuffer())
    }, [store, where, place, name, size]),
  )
  if (!answer) return null
  return (
    <Section title={words.preview}>
      {answer.type === "none" && <Quiet>{words.noPreview}</Quiet>}
      {answer.type === "text" && <Text text={answer.text} isCut={answer.isCut} />}
      {answer.type === "picture" && <Picture blob={answer.blob} name={name} />}
    </Section>
  )
}

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const url = URL.createObjectURL(blob)
    if (image.current) image.current.src = url
    return () => URL.revokeObjectURL(url)
  }, [blob])
  return (
    <img ref={image} alt={name} className="max-h-96 rounded-lg border border-line object-contain" />
  )
}

function Text({ text, isCut }: { text: string; isCut: boolean }) {
  return (
    <>
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs leading-normal whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
      {isCut && <Quiet>{words.cut}</Quiet>}
    </>
  )
}
