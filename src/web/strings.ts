import type { SessionStatus } from "../message/row.ts"
import type { Outcome } from "../model/receipt.ts"

/** Every word the page says, in one place, so that another language is another file. */
export const strings = {
  name: "Compositor",
  you: "You",
  assistant: "Assistant",
  close: "Close",

  gate: {
    missingTitle: "This page needs its key",
    refusedTitle: "The key of this page is no longer good",
    missing:
      "The address was opened without the token that belongs to it. The server prints a link with the token each time it starts.",
    refused:
      "The server answered, but it does not know this token. It was probably restarted since the page was opened.",
    how: "Run this in the project's folder and open the link it prints:",
    command: "npm start",
  },

  sessions: {
    label: "Sessions",
    new: "New session",
    untitled: "Untitled session",
    none: "No sessions yet. What you send first begins one.",
    noneArchived: "Nothing is archived.",
    more: "Show older sessions",
    open: "Open the session list",
    close: "Close the session list",
    actions: (title: string) => `Actions for ${title}`,
    rename: "Rename",
    renameLabel: "Title of the session",
    archive: "Archive",
    unarchive: "Restore from the archive",
    delete: "Delete…",
    showArchived: "Archived",
    showCurrent: "Back to sessions",
    archived: "The session was archived.",
    undo: "Undo",
    queued: (count: number) => `${count} queued`,
    deleteTitle: "Delete this session?",
    deleteText: (title: string) =>
      `“${title}”, its messages and its files will be deleted. This cannot be undone.`,
    deleteConfirm: "Delete",
    cancel: "Cancel",
  },

  status: {
    idle: "Ready",
    busy: "Answering",
    retrying: "Trying again",
    waiting_on_approval: "Waiting for approval",
    waiting_on_user_input: "Waiting for you",
    error: "Errored",
  } satisfies Record<SessionStatus["state"], string>,
  finished: "The answer is complete.",

  header: {
    theme: { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" },
    help: "Keyboard shortcuts",
    xray: "X-ray",
    xrayTip: "X-ray: what the model will see (Ctrl or ⌘ + .)",
  },

  log: {
    label: "Messages",
    older: "Loading older messages…",
    beginning: "The beginning of this session",
    latest: "Jump to latest",
    loading: "Loading…",
    thinking: "Thinking…",
  },

  message: {
    rewound: "Went back to before that message. It is in the composer.",
    unrewind: "Restore",
    copy: "Copy",
    copied: "Copied",
    copyCode: "Copy code",
    xray: "X-ray",
    xrayLabel: "X-ray: what the model saw of this message",
    reasoning: "Reasoning",
    retry: "Retry",
    again: "Send again",
    error: "The answer failed",
    aborted: "Stopped",
    interrupted: "Interrupted: the server stopped before the answer was complete.",
    length: "Cut off at the model's output limit.",
    refusal: "The model declined to go on.",
    more: "Show all",
    less: "Show less",
    unsupported: (type: string) => `Unsupported part: ${type}`,
    usage: (input: string, output: string) => `${input} tokens in, ${output} out`,
    openImage: (name: string) => `Open ${name}`,
    download: (name: string) => `Download ${name}`,
    lines: (start: number, end: number) =>
      start === end ? `line ${start}` : `lines ${start} to ${end}`,
    noBytes: "described only",
    done: "done",
    toDo: "to do",
    close: "Close",
  },

  composer: {
    label: "Message",
    form: "Composer",
    placeholder: "Ask, or describe what to do. @path#L10-25 refers to a file.",
    placeholderBusy: "Write on: this will be queued.",
    send: "Send",
    queue: "Queue",
    save: "Save",
    stop: "Stop",
    attach: "Attach files",
    attachments: "Attachments",
    editing: "Editing a queued message. It will not be sent until you save.",
    cancelEdit: "Put back unchanged",
    uploading: (name: string, percent: number) => `${name}, ${percent} percent uploaded`,
    remove: (name: string) => `Remove ${name}`,
    retry: (name: string) => `Try ${name} again`,
    waitUpload: "An attachment is still being uploaded.",
    failedUpload: "An attachment could not be uploaded. Try it again or remove it.",
    tooLarge: (name: string, limit: string) => `${name} is larger than ${limit}.`,
    folderLimit: (most: number, left: number) =>
      `A folder gives at most ${most} files; ${left} were left out.`,
    pastedName: (lines: number) => `pasted-${lines}-lines.txt`,
    pastedLong: (lines: number) =>
      `${lines === 1 ? "A long line" : `${lines} lines`} became an attachment.`,
    pasteAsText: "Paste as text",
    dictate: "Dictate",
    steer: "Steer: say this to the running answer",
    stopMore: "More ways to stop",
    stopOnly: "Stop this answer; the queue goes on",
    stopAndClear: (count: number) =>
      count === 1 ? "Stop and clear the queued message" : `Stop and clear ${count} queued messages`,
    argument: (hint: string) => `next: ${hint}`,
    hintBusy: "Enter queues · Ctrl+Enter steers",
    drop: "Drop to attach",
    restored: "The message was not sent. It is back in the composer.",
    hint: "Enter sends · Shift+Enter for a new line",
    hintEditing: "Enter saves · Esc puts it back",
    model: "Model",
    unavailable: "needs a key",
    context: (tokens: string) => `${tokens} tokens of context`,
    kept: (type: string) => `${type} (kept)`,
  },

  stash: {
    title: "Put aside",
    put: "Put this draft aside",
    open: "Drafts that were put aside",
    done: "The draft was put aside.",
    none: "Nothing is put aside. A draft that loses against another window's is kept here too.",
    restore: "Take up again",
    noText: "(attachments only)",
    outrun: "Another window wrote here at the same time. Your version was put aside.",
  },

  form: {
    title: (command: string) => `/${command} needs something`,
    arguments: "Arguments",
    choose: "Choose…",
    cancel: "Cancel",
    send: "Fill in and send",
  },

  queue: {
    label: "Queue",
    title: (count: number) => (count === 1 ? "1 message waiting" : `${count} messages waiting`),
    up: (text: string) => `Move up: ${text}`,
    down: (text: string) => `Move down: ${text}`,
    edit: (text: string) => `Edit: ${text}`,
    pause: (text: string) => `Pause: ${text}`,
    release: (text: string) => `Release: ${text}`,
    cancel: (text: string) => `Cancel: ${text}`,
    paused: "Paused. It holds what is behind it.",
    editing: "Being edited",
    attachments: (count: number) => (count === 1 ? "1 attachment" : `${count} attachments`),
    stopped: "The queue stopped after an error. It goes on with your next message.",
    continue: "Continue now",
    empty: "(no text)",
  },

  xray: {
    title: "X-ray",
    close: "Close X-ray",
    draft: "What the model will see of this draft",
    sent: "What the model saw of this message",
    back: "Back to the draft",
    empty:
      "Write something, refer to a file with @path, or attach one: this shows what the model will receive before you send it.",
    parts: "Your parts",
    blocks: "What the model receives",
    wire: "Request body",
    tokens: (count: string) => `≈ ${count} tokens`,
    bytes: (size: string) => `${size} on the wire`,
    history: (count: number) =>
      count === 1 ? "after 1 earlier message" : `after ${count} earlier messages`,
    noReceipts: "Nothing was recorded for this message yet.",
    waiting: "Looking…",
    failed: "The dry run failed",
    turn: (attempt: number) => `attempt ${attempt}`,
    rule: (rule: string) => `Decided by rule ${rule}`,
  },

  outcome: {
    native: "native",
    inlined: "inlined",
    range: "range",
    extracted: "extracted",
    descriptor: "described",
    tool: "by tool",
    "resolved-out": "resolved",
    denied: "denied",
    failed: "failed",
  } satisfies Record<Outcome, string>,

  connection: {
    offline: "You are offline. What you write is kept.",
    reconnecting: "The server does not answer. Trying again…",
  },

  empty: {
    title: "What shall the model see?",
    text: "Write a message, point at files with @path#L10-25, drop in a screenshot. X\u2011ray shows what a model receives before you send it.",
    mirror:
      "You are talking to mirror, a model that needs no key and no network. It answers with an exact account of what a model would have received.",
    examples: [
      { label: "See your words as a model does", text: "Hello! What exactly did you receive?" },
      {
        label: "Point at some lines of a file",
        text: "What do the first lines of @README.md#L1-12 promise?",
      },
      {
        label: "Ask for something longer",
        text: "Write a plan for a small change:\n\n1. what to read first\n2. what to change\n3. how to test it",
      },
    ],
    examplesLabel: "Examples",
  },

  help: {
    title: "Keyboard shortcuts",
    close: "Close",
    keys: [
      ["Enter", "Send, or queue while an answer is being written"],
      ["Shift + Enter", "New line"],
      ["Esc", "Stop the answer; put an edited message back"],
      ["↑ in an empty composer", "Edit the last queued message"],
      ["Mod + .", "X-ray"],
      ["Mod + Shift + O", "New session"],
      ["Alt + ↑ / ↓", "Previous or next session"],
      ["/", "Go to the composer"],
      ["?", "This help"],
    ] as const,
  },

  broken: {
    title: "Something on this page broke",
    text: "What you sent is safe on the server, and your draft is kept in this browser.",
    reload: "Reload the page",
  },

  toast: { close: "Dismiss", region: "Notifications" },
  copyFailed: "The browser did not allow copying.",
  unknownError: "Something went wrong.",
} as const
