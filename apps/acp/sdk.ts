/** The agent, the proxy, and the forms of attachments: `compositor/acp`. */
export { type EditorAgentOptions, compositorAgent } from "./agent.ts"
export { NamedAttachment, EXTENSION, MAX_ATTACHMENTS, readAttachments } from "./attachments.ts"
export * from "./forms.ts"
export type { Ledger, LedgerEnd, LedgerPrompt } from "./proxy/ledger.ts"
export { type ProxyOptions, runProxy } from "./proxy/proxy.ts"
export { serveAgent } from "./stdio.ts"
