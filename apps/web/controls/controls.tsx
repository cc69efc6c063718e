import type { ComponentProps, ReactNode } from "react"

const BASE =
  "inline-flex items-center justify-center gap-1.5 rounded-lg text-sm font-medium transition-colors " +
  "whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 select-none "

const LOOKS = {
  solid: "bg-accent text-on-accent hover:bg-accent-strong px-3 h-9",
  plain: "text-muted hover:text-ink hover:bg-hover px-2.5 h-8",
  outline: "border border-line-strong text-ink hover:bg-hover px-3 h-8",
  danger: "bg-danger text-on-danger hover:opacity-90 px-3 h-9",
}

type ButtonStyle = keyof typeof LOOKS

export function looks(look: ButtonStyle, extra = ""): string {
  return `${BASE}${LOOKS[look]} ${extra}`
}

export function Button({
  look = "plain",
  className = "",
  ...props
}: ComponentProps<"button"> & { look?: ButtonStyle }) {
  return <button type="button" {...props} className={looks(look, className)} />
}

/** A button that is only an icon; its label is its name and its tip. */
export function IconButton({
  label,
  className = "size-8",
  children,
  ...props
}: Omit<ComponentProps<"button">, "aria-label"> & { label: string; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...props}
      className={`${iconLooks} ${className}`}
    >
      {children}
    </button>
  )
}

export const iconLooks =
  "inline-flex items-center justify-center shrink-0 rounded-lg text-muted hover:text-ink hover:bg-hover " +
  "transition-colors disabled:cursor-not-allowed disabled:opacity-40 aria-pressed:bg-accent-soft aria-pressed:text-accent"

export const popupLooks =
  "rounded-xl border border-line bg-surface p-1 text-sm text-ink shadow-lg outline-none"

export const itemLooks =
  "flex cursor-default items-center gap-2 rounded-lg px-2.5 py-1.5 outline-none select-none " +
  "data-[highlighted]:bg-hover data-[disabled]:opacity-60"
