import { matchesKey } from "@earendil-works/pi-tui"

/** What keys do beside typing; false leaves a key to the editor. */
export interface KeyActs {
  interrupt(): unknown
  leaveEmpty(): unknown
  suspend(): unknown
  steer(): unknown
  selectQueue(): unknown
  sessions(): unknown
  models(): unknown
  xray(): unknown
  pastePicture(): unknown
  readonly edit: { save(): unknown; backspace(): unknown; typeOut(): unknown }
  escape(): unknown
}

export function actOf(data: string): ((acts: KeyActs) => unknown) | undefined {
  const [, act] = KEYS.find(([key]) => matchesKey(data, key)) ?? []
  return act
}

type Key = readonly [key: Parameters<typeof matchesKey>[1], act: (acts: KeyActs) => unknown]

const KEYS: readonly Key[] = [
  ["ctrl+c", (acts) => acts.interrupt()],
  ["ctrl+d", (acts) => acts.leaveEmpty()],
  ["ctrl+z", (acts) => acts.suspend()],
  ["ctrl+s", (acts) => acts.steer()],
  ["ctrl+q", (acts) => acts.selectQueue()],
  ["ctrl+r", (acts) => acts.sessions()],
  ["ctrl+o", (acts) => acts.models()],
  ["ctrl+x", (acts) => acts.xray()],
  ["ctrl+v", (acts) => acts.pastePicture()],
  ["backspace", (acts) => acts.edit.backspace()],
  ["ctrl+t", (acts) => acts.edit.typeOut()],
  ["enter", (acts) => acts.edit.save()],
  ["escape", (acts) => acts.escape()],
]
