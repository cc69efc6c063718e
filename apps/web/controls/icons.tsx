import type { ReactNode } from "react"

/** Drawn on a grid of 20, with the colour of the text around them. They are never the only name. */
function icon(paths: ReactNode) {
  return function Icon({ className = "" }: { className?: string }) {
    return (
      <svg
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        className={`shrink-0 ${/\bsize-/.test(className) ? "" : "size-4.5 "}${className}`}
      >
        {paths}
      </svg>
    )
  }
}

export const SendIcon = icon(<path d="M10 16V4.5M5 9.2l5-5 5 5" />)
export const StopIcon = icon(
  <rect x="5.5" y="5.5" width="9" height="9" rx="1.5" fill="currentColor" />,
)
export const QueueIcon = icon(
  <path d="M3.5 5h13M3.5 10h8M3.5 15h8M15 10v5.5M12.3 13l2.7 2.7 2.7-2.7" />,
)
export const CheckIcon = icon(<path d="m4 10.5 4 4 8-9" />)
export const ClipIcon = icon(
  <path d="m16 9.5-5.7 5.7a3.6 3.6 0 0 1-5.1-5.1l6-6a2.4 2.4 0 0 1 3.4 3.4l-5.9 5.9a1.2 1.2 0 0 1-1.7-1.7l5.2-5.2" />,
)
export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />)
export const CloseIcon = icon(<path d="m5 5 10 10M15 5 5 15" />)
export const MenuIcon = icon(<path d="M3.5 5.5h13M3.5 10h13M3.5 14.5h13" />)
export const MoreIcon = icon(
  <g fill="currentColor" stroke="none">
    <circle cx="4.5" cy="10" r="1.4" />
    <circle cx="10" cy="10" r="1.4" />
    <circle cx="15.5" cy="10" r="1.4" />
  </g>,
)
export const UpIcon = icon(<path d="m5 12 5-5 5 5" />)
export const DownIcon = icon(<path d="m5 8 5 5 5-5" />)
export const PencilIcon = icon(
  <path d="M4 16l.8-3.4L13.2 4.2a1.8 1.8 0 0 1 2.6 2.6L7.4 15.2 4 16Z" />,
)
export const PauseIcon = icon(<path d="M7 5v10M13 5v10" />)
export const PlayIcon = icon(<path d="M6.5 4.5v11l9-5.5-9-5.5Z" />)
export const CopyIcon = icon(
  <>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M13 4.5A1.5 1.5 0 0 0 11.5 3H5a2 2 0 0 0-2 2v6.5A1.5 1.5 0 0 0 4.5 13" />
  </>,
)
export const XrayIcon = icon(
  <>
    <path d="M3 7V4.5A1.5 1.5 0 0 1 4.5 3H7M13 3h2.5A1.5 1.5 0 0 1 17 4.5V7M17 13v2.5a1.5 1.5 0 0 1-1.5 1.5H13M7 17H4.5A1.5 1.5 0 0 1 3 15.5V13" />
    <path d="M6.5 8h7M6.5 12h4.5" />
  </>,
)
export const FileIcon = icon(
  <path d="M11.5 2.5H6a1.5 1.5 0 0 0-1.5 1.5v12A1.5 1.5 0 0 0 6 17.5h8a1.5 1.5 0 0 0 1.5-1.5V6.5l-4-4Zm0 0v4h4" />,
)
export const SunIcon = icon(
  <>
    <circle cx="10" cy="10" r="3.2" />
    <path d="M10 2.5v1.7M10 15.8v1.7M2.5 10h1.7M15.8 10h1.7M4.7 4.7l1.2 1.2M14.1 14.1l1.2 1.2M15.3 4.7l-1.2 1.2M5.9 14.1l-1.2 1.2" />
  </>,
)
export const MoonIcon = icon(<path d="M16.5 11.8A6.8 6.8 0 0 1 8.2 3.5a6.8 6.8 0 1 0 8.3 8.3Z" />)
export const SystemIcon = icon(
  <>
    <circle cx="10" cy="10" r="6.5" />
    <path d="M10 3.5v13a6.5 6.5 0 0 0 0-13Z" fill="currentColor" />
  </>,
)
export const DownloadIcon = icon(<path d="M10 3.5v9M6 9l4 4 4-4M4 16.5h12" />)
export const RetryIcon = icon(<path d="M15.8 8.5A6 6 0 1 0 16 11M16 4.5v4h-4" />)
export const AlertIcon = icon(<path d="M10 7v4M10 13.8v.1M10 3 2.8 16h14.4L10 3Z" />)
export const ChevronsIcon = icon(<path d="m6.5 8 3.5-3.5L13.5 8M6.5 12l3.5 3.5 3.5-3.5" />)
export const SteerIcon = icon(<path d="M4 16V9.5A3.5 3.5 0 0 1 7.5 6H16M12.5 2.5 16 6l-3.5 3.5" />)
export const MicIcon = icon(
  <>
    <rect x="7.5" y="3" width="5" height="9" rx="2.5" />
    <path d="M4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v2.5" />
  </>,
)
export const StashIcon = icon(<path d="M3.5 5.5h13v3h-13zM5 8.5v7h10v-7M8 11.5h4" />)
export const BranchIcon = icon(
  <>
    <circle cx="6" cy="4.5" r="1.8" />
    <circle cx="6" cy="15.5" r="1.8" />
    <circle cx="14" cy="7" r="1.8" />
    <path d="M6 6.3v7.4M14 8.8c0 3-4 2.7-7 4.7" />
  </>,
)
export const SidecarIcon = icon(<path d="M3.5 4h13v12h-13zM12 4v12M14 7.5h.5M14 10h.5" />)
export const InspectIcon = icon(
  <>
    <circle cx="9" cy="9" r="5" />
    <path d="m12.8 12.8 3.7 3.7" />
  </>,
)
export const BackIcon = icon(<path d="M8 5 4 9l4 4M4.5 9H12a4 4 0 0 1 0 8h-1" />)
export const ToolIcon = icon(
  <path d="M12.5 3.5a4 4 0 0 0-3.8 5.3L3.5 14l2.5 2.5 5.2-5.2a4 4 0 0 0 5-5.3l-2.4 2.4-2.2-.4-.4-2.2 2.4-2.3a4 4 0 0 0-1.1 0Z" />,
)
export const QuoteIcon = icon(
  <path d="M4 13V9a3 3 0 0 1 3-3M11 13V9a3 3 0 0 1 3-3M4 10h3v4H4zM11 10h3v4h-3z" />,
)
export const GripIcon = icon(
  <g fill="currentColor" stroke="none">
    <circle cx="7.5" cy="5" r="1.2" />
    <circle cx="12.5" cy="5" r="1.2" />
    <circle cx="7.5" cy="10" r="1.2" />
    <circle cx="12.5" cy="10" r="1.2" />
    <circle cx="7.5" cy="15" r="1.2" />
    <circle cx="12.5" cy="15" r="1.2" />
  </g>,
)
export const FolderIcon = icon(
  <path d="M3 15.5v-11A1.5 1.5 0 0 1 4.5 3H8l2 2.5h5.5A1.5 1.5 0 0 1 17 7v8.5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 15.5Z" />,
)
