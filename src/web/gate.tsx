import { strings } from "./strings.ts"

/** The page without a good token: it says what to do. */
export function Gate({ reason }: { reason: "missing" | "refused" }) {
  const { missingTitle, refusedTitle, how, command } = strings.gate
  return (
    <main className="mx-auto flex h-full max-w-lg flex-col justify-center gap-4 px-6">
      <img src="/icon.svg" alt="" className="size-10" />
      <h1 className="text-2xl font-semibold">
        {reason === "missing" ? missingTitle : refusedTitle}
      </h1>
      <p className="text-muted">{strings.gate[reason]}</p>
      <p>{how}</p>
      <pre className="rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm">
        {command}
      </pre>
    </main>
  )
}
