import { useCallback, useEffect, useState } from "react"
import type { ListedMemory, MemoryProposal } from "compositor-client/client"
import { useApp, useWhere } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { showMoment } from "../state/format.ts"
import { Quiet } from "./panel.tsx"
import { memoryStrings as words } from "../state/strings/memory.ts"
import { TrustButton } from "./trust-button.tsx"
const FIELD = "w-full rounded-lg border border-line-strong bg-canvas px-2.5 py-1.5 text-sm text-ink"

interface Note {
  readonly scope: ListedMemory["scope"]
  readonly name: string
  readonly body: string
  readonly isNew?: boolean
}

/** What is remembered across sessions: to read, to correct and to forget. */
export function MemoryPane() {
  const { actions, store } = useApp()
  const where = useWhere()
  const [memories, setMemories] = useState<readonly ListedMemory[]>()
  const [proposals, setProposals] = useState<readonly MemoryProposal[]>([])
  const [note, setNote] = useState<Note>()
  const read = useCallback(
    () =>
      actions.try(async () => {
        setMemories((await store.client.memory.list(where)).memories)
        setProposals((await store.client.memory.proposals(where)).proposals)
      }),
    [actions, store, where],
  )
  useEffect(() => void read(), [read])
  const open = ({ name, scope }: ListedMemory) =>
    actions.try(async () => {
      const { memory } = await store.client.memory.get(name, { ...where, scope })
      setNote({ scope, name, body: memory.body })
    })
  const forget = ({ name, scope }: ListedMemory) =>
    actions.try(async () => {
      await store.client.memory.remove(name, { ...where, scope })
      await read()
    })
  const write = ({ name, scope, body }: Note) =>
    actions.try(async () => {
      await store.client.memory.write(name, { ...where, scope, body })
      setNote(undefined)
      await read()
    })
  const decide = ({ id }: MemoryProposal, accept: boolean) =>
    actions.try(async () => {
      await store.client.memory.decide(id, { ...where, accept })
      await read()
    })
  if (note)
    return (
      <Editing note={note} onDone={() => setNote(undefined)} onWrite={(next) => void write(next)} />
    )
  return (
    <div className="space-y-3">
      <Button
        look="outline"
        onClick={() => setNote({ scope: "user", name: "", body: "", isNew: true })}
      >
        {words.add}
      </Button>
      {proposals.length > 0 && (
        <ProposalList
          proposals={proposals}
          onDecide={(proposal, accept) => void decide(proposal, accept)}
        />
      )}
      {memories?.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul className="space-y-2">
        {memories?.map((memory) => (
          <li
            key={`${memory.scope} ${memory.name}`}
            className="rounded-xl border border-line bg-surface px-3 py-2 text-sm"
          >
            <div className="flex items-center gap-1">
              <span className="min-w-0 flex-1 truncate font-semibold">{memory.name}</span>
              {!memory.trusted && (
                <TrustButton
                  file={{ path: memory.path }}
                  isTrusted={false}
                  onChanged={() => void read()}
                />
              )}
              <Button onClick={() => void open(memory)}>{words.edit(memory.name)}</Button>
              <Button className="text-danger!" onClick={() => void forget(memory)}>
                {words.forget(memory.name)}
              </Button>
            </div>
            <p>{memory.description}</p>
            <p className="mt-0.5 text-xs text-muted">
              {[
                words.scopes[memory.scope],
                memory.type,
                words.by(memory.author.by),
                showMoment(memory.updated_at),
                !memory.trusted && words.untrusted,
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ProposalListProps {
  readonly proposals: readonly MemoryProposal[]
  readonly onDecide: (proposal: MemoryProposal, accept: boolean) => void
}

/** What was asked for while nobody watched: all of it is shown, because a yes is for all of it. */
function ProposalList({ proposals, onDecide }: ProposalListProps) {
  return (
    <section aria-label={words.proposals} className="space-y-2">
      <h3 className="text-sm font-semibold">{words.proposals}</h3>
      <ul className="space-y-2">
        {proposals.map((proposal) => (
          <li
            key={proposal.id}
            className="rounded-xl border border-line-strong bg-surface px-3 py-2 text-sm"
          >
            <p className="font-semibold">{words.proposed[proposal.action](proposal.name)}</p>
            <p>{proposal.description}</p>
            {proposal.action === "write" && (
              <pre className="mt-1 max-h-48 overflow-auto rounded-lg bg-canvas p-2 text-xs whitespace-pre-wrap">
                {proposal.body}
              </pre>
            )}
            <p className="mt-1 text-xs text-muted">
              {[
                words.scopes[proposal.scope],
                words.askedBy(proposal.author.session_id, proposal.author.via),
                showMoment(proposal.proposed_at),
              ].join(" · ")}
            </p>
            <p className="text-xs text-muted">{proposal.reason}</p>
            <div className="mt-1 flex gap-1">
              <Button look="outline" onClick={() => onDecide(proposal, true)}>
                {words.accept[proposal.action]}
              </Button>
              <Button onClick={() => onDecide(proposal, false)}>{words.reject}</Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface EditingProps {
  readonly note: Note
  readonly onDone: () => void
  readonly onWrite: (note: Note) => void
}

function Editing({ note, onDone, onWrite }: EditingProps) {
  const [draft, setDraft] = useState(note)
  const change = (next: Partial<Note>) => setDraft({ ...draft, ...next })
  return (
    <div className="space-y-3 text-sm">
      {note.isNew ? (
        <>
          <label className="block font-medium">
            {words.name}
            <input
              value={draft.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
              className={`mt-1 ${FIELD}`}
            />
          </label>
          <label className="block font-medium">
            {words.scope}
            <select
              value={draft.scope}
              onChange={(event) => change({ scope: event.currentTarget.value as Note["scope"] })}
              className={`mt-1 ${FIELD}`}
            >
              {(["user", "project"] as const).map((scope) => (
                <option key={scope} value={scope}>
                  {words.scopes[scope]}
                </option>
              ))}
            </select>
          </label>
        </>
      ) : (
        <h3 className="font-semibold">{note.name}</h3>
      )}
      <label className="block font-medium">
        {words.body}
        <textarea
          value={draft.body}
          rows={10}
          onChange={(event) => change({ body: event.currentTarget.value })}
          className={`mt-1 ${FIELD}`}
        />
      </label>
      <div className="flex gap-2">
        <Button
          look="solid"
          disabled={draft.name.trim() === "" || draft.body.trim() === ""}
          onClick={() => onWrite(draft)}
        >
          {words.save}
        </Button>
        <Button look="outline" className="h-9" onClick={onDone}>
          {words.cancel}
        </Button>
      </div>
    </div>
  )
}
