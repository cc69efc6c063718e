import type { ReaderName } from "./read/read.ts"

/** Where a tool keeps command files. */
export interface CommandFolder {
  readonly tool: string
  /** A folder, or one file. In a project it is looked for in every folder from the working
   *  directory up to the repository's root; `~`, `$XDG_CONFIG_HOME` and `$CODEX_HOME` begin the
   *  user's own. A `*` stands for any one folder. */
  readonly path: string
  /** The files of the folder that count; absent when `path` is a file. */
  readonly files?: RegExp
  /** Folders inside are looked into as well. */
  readonly deep?: boolean
  /** The folder that a `*` stands for comes before the name: `plugin:command`. */
  readonly prefixed?: boolean
  /** Only files whose folder has this name count. */
  readonly parent?: string
  /** Counts only where this file lies beside it. */
  readonly beside?: string
  readonly reader: ReaderName
}

const MD = /\.md$/i
const RECIPE = /\.(?:ya?ml|json)$/i

/** In the order in which they are asked: our own first. */
export const PROJECT_COMMANDS: readonly CommandFolder[] = [
  { tool: "compositor", path: ".agents/commands", files: MD, deep: true, reader: "markdown" },
  { tool: "claude", path: ".claude/commands", files: MD, deep: true, reader: "markdown" },
  {
    tool: "claude",
    path: "commands",
    files: MD,
    deep: true,
    beside: ".claude-plugin/plugin.json",
    reader: "markdown",
  },
  { tool: "opencode", path: ".opencode/command", files: MD, deep: true, reader: "markdown" },
  { tool: "opencode", path: ".opencode/commands", files: MD, deep: true, reader: "markdown" },
  { tool: "opencode", path: "opencode.json", reader: "opencode-config" },
  { tool: "opencode", path: "opencode.jsonc", reader: "opencode-config" },
  { tool: "opencode", path: ".opencode/opencode.json", reader: "opencode-config" },
  { tool: "opencode", path: ".opencode/opencode.jsonc", reader: "opencode-config" },
  { tool: "gemini", path: ".gemini/commands", files: /\.toml$/i, deep: true, reader: "toml" },
  {
    tool: "gemini",
    path: ".gemini/extensions/*/commands",
    files: /\.toml$/i,
    deep: true,
    reader: "toml",
  },
  { tool: "pi", path: ".pi/prompts", files: MD, reader: "markdown" },
  { tool: "continue", path: ".continue/prompts", files: /\.(?:prompt|md)$/i, reader: "markdown" },
  { tool: "continue", path: ".continue/rules", files: MD, reader: "continue-rule" },
  { tool: "continue", path: ".prompts", files: /\.prompt$/i, reader: "markdown" },
  { tool: "continue", path: ".continue/config.yaml", reader: "continue-config" },
  { tool: "goose", path: ".goose/recipes", files: RECIPE, deep: true, reader: "recipe" },
  { tool: "goose", path: ".agents/recipes", files: RECIPE, deep: true, reader: "recipe" },
  {
    tool: "cline",
    path: ".clinerules/workflows",
    files: /\.(?:md|markdown|txt)$/i,
    reader: "markdown",
  },
  {
    tool: "cline",
    path: ".cline",
    files: /\.(?:md|markdown|txt)$/i,
    deep: true,
    parent: "workflows",
    reader: "markdown",
  },
  { tool: "copilot", path: ".github/prompts", files: /\.prompt\.md$/i, reader: "markdown" },
  { tool: "cursor", path: ".cursor/commands", files: MD, reader: "markdown" },
  { tool: "windsurf", path: ".windsurf/workflows", files: MD, reader: "markdown" },
  { tool: "roo", path: ".roo/commands", files: MD, reader: "markdown" },
]

export const USER_COMMANDS: readonly CommandFolder[] = [
  { tool: "compositor", path: "~/.agents/commands", files: MD, deep: true, reader: "markdown" },
  { tool: "claude", path: "~/.claude/commands", files: MD, deep: true, reader: "markdown" },
  {
    tool: "claude",
    path: "~/.claude/plugins/*/commands",
    files: MD,
    deep: true,
    prefixed: true,
    reader: "markdown",
  },
  ...["command", "commands"].map((folder) => ({
    tool: "opencode",
    path: `$XDG_CONFIG_HOME/opencode/${folder}`,
    files: MD,
    deep: true,
    reader: "markdown" as const,
  })),
  { tool: "opencode", path: "$XDG_CONFIG_HOME/opencode/opencode.json", reader: "opencode-config" },
  { tool: "opencode", path: "$XDG_CONFIG_HOME/opencode/opencode.jsonc", reader: "opencode-config" },
  { tool: "codex", path: "$CODEX_HOME/prompts", files: MD, reader: "markdown" },
  { tool: "gemini", path: "~/.gemini/commands", files: /\.toml$/i, deep: true, reader: "toml" },
  {
    tool: "gemini",
    path: "~/.gemini/extensions/*/commands",
    files: /\.toml$/i,
    deep: true,
    reader: "toml",
  },
  { tool: "pi", path: "~/.pi/agent/prompts", files: MD, reader: "markdown" },
  { tool: "continue", path: "~/.continue/prompts", files: /\.(?:prompt|md)$/i, reader: "markdown" },
  { tool: "continue", path: "~/.continue/rules", files: MD, reader: "continue-rule" },
  { tool: "continue", path: "~/.continue/config.yaml", reader: "continue-config" },
  { tool: "goose", path: "~/.agents/recipes", files: RECIPE, deep: true, reader: "recipe" },
  {
    tool: "goose",
    path: "$XDG_CONFIG_HOME/goose/recipes",
    files: RECIPE,
    deep: true,
    reader: "recipe",
  },
  {
    tool: "copilot",
    path: "$XDG_CONFIG_HOME/Code/User/prompts",
    files: /\.prompt\.md$/i,
    reader: "markdown",
  },
  {
    tool: "copilot",
    path: "~/Library/Application Support/Code/User/prompts",
    files: /\.prompt\.md$/i,
    reader: "markdown",
  },
]

/** Where a tool keeps skill packages. */
export interface SkillFolder {
  readonly tool: string
  readonly path: string
  /** A Markdown file right in the folder is a skill as well. */
  readonly loose?: boolean
}

export const PROJECT_SKILLS: readonly SkillFolder[] = [
  { tool: "compositor", path: ".agents/skills" },
  { tool: "claude", path: ".claude/skills" },
  { tool: "opencode", path: ".opencode/skill", loose: true },
  { tool: "opencode", path: ".opencode/skills", loose: true },
  { tool: "gemini", path: ".gemini/skills" },
  { tool: "codex", path: ".codex/skills" },
  { tool: "pi", path: ".pi/skills" },
  { tool: "goose", path: ".goose/skills" },
  { tool: "cline", path: ".cline/skills" },
  { tool: "cline", path: ".clinerules/skills" },
  { tool: "continue", path: ".continue/skills" },
]

export const USER_SKILLS: readonly SkillFolder[] = [
  { tool: "compositor", path: "~/.agents/skills" },
  { tool: "claude", path: "~/.claude/skills" },
  { tool: "opencode", path: "$XDG_CONFIG_HOME/opencode/skill", loose: true },
  { tool: "opencode", path: "$XDG_CONFIG_HOME/opencode/skills", loose: true },
  { tool: "gemini", path: "~/.gemini/skills" },
  { tool: "codex", path: "$CODEX_HOME/skills" },
  { tool: "pi", path: "~/.pi/agent/skills" },
  { tool: "cline", path: "~/.cline/skills" },
  { tool: "compositor", path: "$XDG_CONFIG_HOME/agents/skills" },
  { tool: "goose", path: "$XDG_CONFIG_HOME/goose/skills" },
]
