import { type RefObject, useState } from "react"
import type { ListedCommand } from "compositor-client/client"
import { type CommandArgument } from "compositor-core/catalog/command"
import { takesKeys } from "compositor-core/catalog/values"
import type { SlashCommandNode } from "compositor-core/compose/node"
import { parse } from "compositor-core/compose/parse"
import type { Lack } from "../state/actions.ts"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { Dialog, DialogHead } from "../controls/dialog.tsx"
import { strings } from "../state/strings.ts"
import type { ComposerHandle } from "./use-editor.ts"

const words = strings.form

interface ArgumentFormProps {
  readonly lack: Lack
  readonly composer: RefObject<ComposerHandle | null>
  readonly onClose: () => void
}

/** Asks for what a command needs, writes it behind the command, and sends. */
export default function ArgumentForm({ lack, composer, onClose }: ArgumentFormProps) {
  const { actions, desk } = useApp()
  const vocabulary = useStore((state) => state.vocabulary)
  const commands = useStore((state) => state.commands)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const name = /^\/(\S+)/.exec(lack.message)?.[1]
  const listed = commands.find((one) => one.name === name || one.command.name === name)
  const asked = (listed?.command.arguments ?? []).filter((one) => lack.arguments.includes(one.name))

  const fill = () => {
    const source = desk.text(lack.draft)
    const node = parse(source, vocabulary).find(
      (node): node is SlashCommandNode => node.kind === "slash_command" && isMeant(node, listed),
    )
    if (!node || !listed) return onClose()
    const text = asked.map((one) => written(one, values[one.name] ?? "", listed)).join(" ")
    const end = endOfArguments(source, node.end)
    composer.current?.replace(end, end, ` ${text}`)
    onClose()
    actions.submit()
  }
  return (
    <Dialog label={words.title(name ?? "")} onClose={onClose}>
      <DialogHead title={words.title(name ?? "")} onClose={onClose} />
      <p className="mb-3 text-sm text-muted">{listed?.command.description ?? lack.message}</p>
      <div
        role="group"
        aria-label={words.arguments}
        className="space-y-3"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return
          event.preventDefault()
          fill()
        }}
      >
        {asked.map((argument) => (
          <Field
            key={argument.name}
            argument={argument}
            value={values[argument.name] ?? ""}
            onChange={(value) => setValues({ ...values, [argument.name]: value })}
          />
        ))}
      </div>
      <div className="mt-5 flex justify-end gap-2">
        <Button look="outline" className="h-9" onClick={onClose}>
          {words.cancel}
        </Button>
        <Button
          look="solid"
          disabled={asked.some((one) => (values[one.name] ?? "").trim() === "")}
          onClick={fill}
        >
          {words.send}
        </Button>
      </div>
    </Dialog>
  )
}

interface FieldProps {
  readonly argument: CommandArgument
  readonly value: string
  readonly onChange: (value: string) => void
}

function Field({ argument, value, onChange }: FieldProps) {
  const { name, description, options, type } = argument
  const choices = options ?? (type === "boolean" ? ["true", "false"] : undefined)
  const looks =
    "mt-1 w-full rounded-lg border border-line-strong bg-canvas px-3 py-1.5 text-sm text-ink"
  return (
    <label className="block text-sm font-medium">
      {name}
      {description && <span className="ml-2 font-normal text-muted">{description}</span>}
      {choices ? (
        <select
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          className={looks}
        >
          <option value="">{words.choose}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          value={value}
          inputMode={type === "number" ? "decimal" : "text"}
          onChange={(event) => onChange(event.currentTarget.value)}
          className={looks}
        />
      )}
    </label>
  )
}

function isMeant({ name }: SlashCommandNode, listed: ListedCommand | undefined): boolean {
  if (!listed) return false
  return name === listed.name || (listed.command.aliases?.includes(name) ?? false)
}

/** Arguments go on to the end of their line. */
function endOfArguments(source: string, from: number): number {
  const line = source.indexOf("\n", from)
  const end = line < 0 ? source.length : line
  return from + source.slice(from, end).trimEnd().length
}

/** One alone needs no name; among several it is named, where the command's rules know names. */
function written({ name }: CommandArgument, value: string, { command }: ListedCommand): string {
  if ((command.arguments?.length ?? 0) <= 1 || !("dialect" in command)) return value
  const plain = /^[^\s"']+$/.test(value) ? value : `"${value.replaceAll('"', "'")}"`
  return takesKeys(command.dialect) ? `${name}=${plain}` : plain
}
