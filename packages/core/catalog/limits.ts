/** What a command file, a name or an expansion may weigh. */
export const MAX_FILE_BYTES = 256 * 1024
export const MAX_FRONT_MATTER_CHARACTERS = 64 * 1024
/** Deeper than this is no configuration anyone wrote by hand. */
export const MAX_YAML_DEPTH = 32
export const MAX_TOML_DEPTH = 32
/** Aliases count as often as they are used, so a bomb of them is refused. */
export const MAX_YAML_NODES = 10_000
export const MAX_COMMAND_NAME_CHARACTERS = 128
export const MAX_DESCRIPTION_CHARACTERS = 1024
export const MAX_HINT_CHARACTERS = 256
export const MAX_ARGUMENTS = 64
/** Of one file that holds many, such as opencode.json. */
export const MAX_COMMANDS_PER_FILE = 500
/** Files and shell commands that one template may name. */
export const MAX_SLOT_PARTS = 100
