import type { CommandDialect, TemplateCommand } from "../../packages/core/catalog/command.ts"
import { expand } from "../../packages/core/catalog/expand.ts"
import type { CommandFile } from "../../packages/core/catalog/read/file.ts"
import type { ArgumentValues } from "../../packages/core/catalog/values.ts"

/** A template that the user wrote. */
export function template(
  dialect: CommandDialect,
  body: string,
  rest: Partial<TemplateCommand> = {},
): TemplateCommand {
  return {
    kind: "template",
    name: "x",
    source: { tool: dialect, scope: "user", owner: "user", path: "/home/x.md", line: 1 },
    trust: "trusted",
    dialect,
    body,
    ...rest,
  }
}

/** The expansion in one line: files show as `<@path>`, shell commands as `<$ command>`. */
export function shows(
  command: TemplateCommand,
  given: ArgumentValues,
  host?: Record<string, string>,
): string {
  const expansion = expand(command, given, host)
  switch (expansion.type) {
    case "missing":
      return `missing ${expansion.missing.map(({ name }) => name).join(" ")}`
    case "refused":
      return `refused: ${expansion.reason}`
    case "parts":
      return expansion.parts
        .map((part) => {
          if (part.type === "text") return part.text
          if (part.type === "shell") return `<$ ${part.command}>`
          const { ref } = part
          if (ref.kind === "url") return `<@${ref.url}>`
          if (ref.kind !== "path") return "<?>"
          return ref.range ? `<@${ref.path} ${ref.range.start}-${ref.range.end}>` : `<@${ref.path}>`
        })
        .join("")
  }
}

export function commandFile(tool: string, relative: string, text: string): CommandFile {
  return {
    path: `/project/${relative}`,
    relative,
    text,
    digest: "sha256:0",
    source: { tool, scope: "project", owner: "project" },
    trust: "untrusted",
  }
}
