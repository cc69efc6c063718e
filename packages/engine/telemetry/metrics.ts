/** Figures in the text format of Prometheus (0.0.4). A label has few values, and says so: what is more
 *  than a family may have is counted as `other`. */
export class Metrics {
  readonly #families: Family[] = []
  readonly #looks: (() => void | Promise<void>)[] = []

  counter(name: string, help: string, labels: readonly string[] = []): Counter {
    return this.#add(new Counter({ name, help, labels, type: "counter" }))
  }

  gauge(name: string, help: string, labels: readonly string[] = []): Gauge {
    return this.#add(new Gauge({ name, help, labels, type: "gauge" }))
  }

  histogram(name: string, help: string, labels: readonly string[] = []): Histogram {
    return this.#add(new Histogram({ name, help, labels, type: "histogram" }))
  }

  /** Look at something each time the figures are asked for. */
  look(look: () => void | Promise<void>) {
    this.#looks.push(look)
  }

  async text(): Promise<string> {
    // A figure that cannot be had now is what it was; the others are told.
    await Promise.allSettled(this.#looks.map(async (look) => look()))
    return this.#families.map((family) => family.text()).join("")
  }

  #add<Added extends Family>(family: Added): Added {
    this.#families.push(family)
    return family
  }
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export interface About {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly type: "counter" | "gauge" | "histogram"
}

const MAX_SERIES = 1000

export class Family<Value = unknown> {
  readonly about: About
  protected readonly series = new Map<string, Value>()

  constructor(about: About) {
    this.about = about
  }

  text(): string {
    const { name, help, type } = this.about
    const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    return head + [...this.series].map(([labels, value]) => this.print(labels, value)).join("")
  }

  protected print(_labels: string, _value: Value): string {
    return ""
  }

  /** The labels as they are printed, without braces. */
  protected key(values: readonly string[]): string {
    const key = this.#join(values)
    if (this.series.has(key) || this.series.size < MAX_SERIES) return key
    return this.#join(values.map(() => "other"))
  }

  #join(values: readonly string[]): string {
    return this.about.labels.map((label, at) => `${label}="${escaped(values[at] ?? "")}"`).join(",")
  }
}

export class Counter extends Family<number> {
  add(amount: number, ...labels: string[]) {
    const key = this.key(labels)
    this.series.set(key, (this.series.get(key) ?? 0) + amount)
  }

  protected override print(labels: string, value: number): string {
    return line(this.about.name, labels, value)
  }
}

export class Gauge extends Family<number> {
  set(value: number, ...labels: string[]) {
    this.series.set(this.key(labels), value)
  }

  add(amount: number, ...labels: string[]) {
    const key = this.key(labels)
    this.series.set(key, (this.series.get(key) ?? 0) + amount)
  }

  /** What is not said again is not so any more. */
  clear() {
    this.series.clear()
  }

  protected override print(labels: string, value: number): string {
    return line(this.about.name, labels, value)
  }
}

/** Seconds, from what a memory costs to what a model takes. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export interface HistogramValue {
  readonly counts: number[]
  sum: number
  count: number
}

export class Histogram extends Family<HistogramValue> {
  observe(seconds: number, ...labels: string[]) {
    const key = this.key(labels)
    const observed = this.series.get(key) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 }
    this.series.set(key, observed)
    observed.sum += seconds
    observed.count++
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    if (at >= 0) observed.counts[at] = (observed.counts[at] ?? 0) + 1
  }

  protected override print(labels: string, { counts, sum, count }: HistogramValue): string {
    const { name } = this.about
    const before = labels === "" ? "" : `${labels},`
    let below = 0
    const buckets = BOUNDS.map((bound, at) => {
      below += counts[at] ?? 0
      return line(`${name}_bucket`, `${before}le="${bound}"`, below)
    })
    const all = line(`${name}_bucket`, `${before}le="+Inf"`, count)
    return `${buckets.join("")}${all}${line(`${name}_sum`, labels, sum)}${line(`${name}_count`, labels, count)}`
  }
}

function line(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}
