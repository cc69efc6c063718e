/** Other names that a model may call a tool by. */
export const TOOL_ALIASES: Readonly<Record<string, string>> = { view_image: "read_image" }
