import { expand } from "compositor-core/catalog/expand"
import { type Skill, skillCommand } from "compositor-core/catalog/skill"
import { argumentText, slashCommands } from "compositor-core/compose/slash-commands"
import type { SlashCommandDefinition } from "../store/store.ts"
import { composerInput, type EntityContext } from "./context.ts"
import { COMMAND_NAME, SlashCommandArgument } from "compositor-core/contract/entities"
import { SKILLS_OWNER } from "./session-commands.ts"

type LoaderContext = Pick<EntityContext, "wake" | "slashCommands" | "skills" | "insertContext"> & {
  /** Skills that the model has already, by name and arguments. */
  loadedSkills?(): Promise<ReadonlySet<string>>
  /** What each skill is typed as here, by its name; one that is not in it, by its own name. */
  skillNames?(): Promise<ReadonlyMap<string, string>>
}

interface LoadedSkill {
  readonly name: string
  readonly arguments: string
}

/** Publish the commands of the skills that were found, and load the one behind each command of the
 *  input, with its own arguments (EA-031). The same again is cheap and tells nothing: it may stand at
 *  the top of every handler. */
export async function skillsLoader(ctx: LoaderContext): Promise<LoadedSkill[]> {
  const skills = await typedSkills(ctx)
  await ctx.slashCommands.replaceOwned(SKILLS_OWNER, commandsOf(skills))
  const input = composerInput(ctx.wake)
  const nodes = input ? slashCommands(input) : []
  const loaded: LoadedSkill[] = []
  for (const node of nodes) {
    const skill = skills.get(node.name)
    if (!input || !skill || !isOffered(skill)) continue
    const given = argumentText(input, node)
    if (await hasIt(ctx, { name: skill.name, arguments: given }, loaded)) continue
    await ctx.insertContext({
      type: "skill",
      title: given === "" ? skill.name : `${skill.name} ${given}`.slice(0, 255),
      content: contentOf(skill, given),
      metadata: {
        source: "composer_input",
        nodeKind: node.kind,
        command: skill.name,
        ...(given === "" ? {} : { arguments: given }),
        rawInput: input.source,
      },
    })
    loaded.push({ name: skill.name, arguments: given })
  }
  return loaded
}

/** The skills by what they are typed as: a row of the collection does what it says, and the name of a
 *  built-in command is nobody else's (EA-013). */
async function typedSkills(ctx: LoaderContext): Promise<ReadonlyMap<string, Skill>> {
  const names = await ctx.skillNames?.()
  const skills = [...(await ctx.skills()).values()]
  return new Map(skills.map((skill) => [names?.get(skill.name) ?? skill.name, skill]))
}

/** Once for the same arguments while the model has it; with others, again (decision 7). */
async function hasIt(ctx: LoaderContext, call: LoadedSkill, loaded: readonly LoadedSkill[]) {
  if (loaded.some((one) => one.name === call.name && one.arguments === call.arguments)) return true
  const known = await ctx.loadedSkills?.()
  return known?.has(JSON.stringify([call.name, call.arguments])) ?? false
}

function commandsOf(skills: ReadonlyMap<string, Skill>): SlashCommandDefinition[] {
  return [...skills]
    .filter(([name, skill]) => isOffered(skill) && COMMAND_NAME.test(name))
    .map(([name, skill]) => commandOf(name, skill))
}

function isOffered({ trust, user_invocable }: Skill): boolean {
  return trust === "trusted" && user_invocable
}

function commandOf(
  name: string,
  { description, arguments: given = [] }: Skill,
): SlashCommandDefinition {
  const hints = given.flatMap((one) => {
    const read = SlashCommandArgument.safeParse(one)
    return read.success ? [read.data] : []
  })
  return { name, description, ...(hints.length > 0 ? { arguments: hints } : {}) }
}

// What a body would run stays as it is written: nobody has been shown it.
function contentOf(skill: Skill, given: string): string {
  const expansion = expand(skillCommand(skill), given)
  if (expansion.type !== "parts") return skill.body
  const text = expansion.parts.map((part) => (part.type === "text" ? part.text : part.raw)).join("")
  const { unused = "" } = expansion
  return unused === "" ? text : `${text}\n\nArguments: ${unused}`
}
