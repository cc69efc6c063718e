import { spawn } from "node:child_process"

export interface Started {
  /** From the start until something was drawn, and until a key that was pressed is on the screen. */
  readonly first_ms: number
  readonly ready_ms: number
  /** From a key to its echo. */
  readonly echo_ms: readonly number[]
}

export interface Starting {
  readonly command: string
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

const KEYS = 20
const LONGEST_MS = 40_000
/** Less than this is a question to the terminal, not a picture. */
const DRAWN_BYTES = 200
const PROBE_MS = 10

/** Start a program in a terminal of its own, and see when it draws and how soon it shows a key. */
export async function startInTerminal(starting: Starting): Promise<Started | undefined> {
  const { command, folder, environment } = starting
  const sized = `stty rows 24 cols 100; exec ${command}`
  const began = performance.now()
  const child = spawn("script", ["-qfec", sized, "/dev/null"], { cwd: folder, env: environment })
  const screen = new Screen(child.stdout)
  try {
    const first = await screen.until((_, bytes) => bytes > DRAWN_BYTES)
    if (first === undefined) return undefined
    const ready = await firstEcho(child.stdin, screen)
    if (ready === undefined) return undefined
    const echo_ms: number[] = []
    for (let key = 0; key < KEYS; key++) {
      await pause(60)
      const letter = "bcdfghjklm"[key % 10] ?? "b"
      const pressed = performance.now()
      screen.forget()
      child.stdin.write(letter)
      const shown = await screen.until((text) => text.includes(letter))
      if (shown !== undefined) echo_ms.push(shown - pressed)
    }
    return { first_ms: first - began, ready_ms: ready - began, echo_ms }
  } finally {
    child.kill("SIGKILL")
  }
}

/** Press a key until it is shown. */
async function firstEcho(input: NodeJS.WritableStream, screen: Screen) {
  for (const end = performance.now() + LONGEST_MS; performance.now() < end; ) {
    screen.forget()
    input.write("q")
    const shown = await screen.until((text) => /q/.test(text), PROBE_MS)
    if (shown !== undefined) return shown
  }
  return undefined
}

// They have letters too, which nobody pressed.
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(\[[0-?]*[ -/]*[@-~]|[\]_P][^\u0007\u001b]*(\u0007|\u001b\\)|.)/g

class Screen {
  #text = ""
  #bytes = 0
  #look: (() => void) | undefined

  constructor(output: NodeJS.ReadableStream) {
    output.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length
      this.#text += chunk.toString("utf8").replace(ESCAPES, "")
      this.#look?.()
    })
  }

  forget() {
    this.#text = ""
  }

  /** When it was so; undefined when it never was. */
  until(
    isSo: (text: string, bytes: number) => boolean,
    wait = LONGEST_MS,
  ): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const timer = setTimeout(() => resolve(undefined), wait)
    this.#look = () => {
      if (isSo(this.#text, this.#bytes)) resolve(performance.now())
    }
    this.#look()
    return promise.finally(() => {
      clearTimeout(timer)
      this.#look = undefined
    })
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
