import { useCallback, useEffect, useState } from "react"
import type { CarriedFile, FolderEntry } from "compositor-client/client"
import { useAsking } from "../state/use-request.ts"
import { useApp, useWhere } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { FileView } from "./file-view.tsx"
import { formatBytes } from "../state/format.ts"
import { FileIcon, FolderIcon } from "../controls/icons.tsx"
import { type ChosenFile, chosenCarried, chosenPath } from "./chosen-file.ts"
import { PaneNet } from "../controls/error-boundary.tsx"
import { Quiet, Section } from "./panel.tsx"
import { filesStrings as words } from "../state/strings/files.ts"

/** The files of this conversation and of its workspace: to look at, to take along, to send. */
export function Files() {
  const { session } = useWhere()
  const [chosen, setChosen] = useState<ChosenFile>()
  const [folder, setFolder] = useState("")
  if (chosen) {
    const back = () => setChosen(undefined)
    return (
      <PaneNet title={chosen.name} onClose={back}>
        <FileView file={chosen} onBack={back} />
      </PaneNet>
    )
  }
  return (
    <div className="space-y-6">
      {session !== undefined && (
        <Section title={words.carried}>
          <Carried
            key={session}
            session={session}
            onChoose={(file) => setChosen(chosenCarried(file, session))}
          />
        </Section>
      )}
      <Section title={words.workspace}>
        <Folder
          folder={folder}
          onFolder={setFolder}
          onChoose={(entry) => setChosen(chosenPath(entry))}
        />
      </Section>
    </div>
  )
}

interface CarriedProps {
  readonly session: string
  readonly onChoose: (file: CarriedFile) => void
}

function Carried({ session, onChoose }: CarriedProps) {
  const { actions, store } = useApp()
  const [files, setFiles] = useState<readonly CarriedFile[]>()
  const [next, setNext] = useState<string | null>(null)
  const read = useCallback(
    (before?: string) =>
      actions.try(async () => {
        const query = before === undefined ? {} : { before }
        const page = await store.client.files.carried(session, query)
        setFiles((known) => [...(before === undefined ? [] : (known ?? [])), ...page.files])
        setNext(page.next)
      }),
    [actions, store, session],
  )
  useEffect(() => void read(), [read])
  return (
    <>
      {files?.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul>
        {files?.map((file) => (
          <li key={file.part_id}>
            <Row
              name={baseName(file)}
              about={[
                file.role === "user" ? words.byYou : words.byModel,
                file.mime,
                file.size !== undefined && formatBytes(file.size),
              ]}
              onChoose={() => onChoose(file)}
            />
          </li>
        ))}
      </ul>
      {next !== null && <Button onClick={() => void read(next)}>{words.older}</Button>}
    </>
  )
}

export function baseName({ name, ref, type }: CarriedFile): string {
  const said = [name, ref?.path, ref?.url, ref?.uri, ref?.name]
  const found = said.find((one) => typeof one === "string")
  return typeof found === "string" ? found : type
}

interface FolderProps {
  readonly folder: string
  readonly onFolder: (folder: string) => void
  readonly onChoose: (entry: FolderEntry) => void
}

function Folder({ folder, onFolder, onChoose }: FolderProps) {
  const { store } = useApp()
  const where = useWhere()
  const { answer } = useAsking(
    useCallback(() => store.client.files.list({ ...where, folder }), [store, where, folder]),
  )
  const isThere = answer?.folder === folder
  return (
    <>
      <Trail folder={folder} onFolder={onFolder} />
      {isThere && answer.entries.length === 0 && <Quiet>{words.empty}</Quiet>}
      <ul>
        {isThere &&
          answer.entries.map((entry) => (
            <li key={entry.path}>
              <Row
                name={entry.name}
                isFolder={entry.is_folder}
                about={[entry.size !== null && formatBytes(entry.size)]}
                onChoose={() => (entry.is_folder ? onFolder(entry.path) : onChoose(entry))}
              />
            </li>
          ))}
      </ul>
      {isThere && answer.more && <Quiet>{words.more}</Quiet>}
    </>
  )
}

/** Where one is, each step of it a way back. */
function Trail({ folder, onFolder }: Omit<FolderProps, "onChoose">) {
  const steps = folder === "" ? [] : folder.split("/")
  return (
    <nav aria-label={words.path} className="mb-1 -ml-2 flex flex-wrap items-center text-sm">
      <Button onClick={() => onFolder("")}>{words.root}</Button>
      {steps.map((step, at) => (
        <span key={steps.slice(0, at + 1).join("/")} className="flex items-center">
          <span aria-hidden="true" className="text-muted">
            /
          </span>
          <Button onClick={() => onFolder(steps.slice(0, at + 1).join("/"))}>{step}</Button>
        </span>
      ))}
    </nav>
  )
}

interface RowProps {
  readonly name: string
  readonly about: readonly (string | false | undefined)[]
  readonly isFolder?: boolean
  readonly onChoose: () => void
}

function Row({ name, about, isFolder, onChoose }: RowProps) {
  const Icon = isFolder ? FolderIcon : FileIcon
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left text-sm hover:bg-hover"
    >
      <Icon className="size-4 text-muted" />
      <span className="min-w-0 flex-1 truncate">{isFolder ? `${name}/` : name}</span>
      <span className="shrink-0 text-xs text-muted">{about.filter(Boolean).join(" · ")}</span>
    </button>
  )
}
