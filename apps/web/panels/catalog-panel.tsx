import { useStore } from "../state/context.ts"
import { Panel } from "./panel.tsx"
import { Agents } from "./agents-pane.tsx"
import { CommandsPane, Doctor, isNoSkill, isSkill } from "./commands-pane.tsx"
import { Files } from "./files-pane.tsx"
import { MemoryPane } from "./memory-pane.tsx"
import { Models } from "./models-pane.tsx"
import { Servers } from "./servers-pane.tsx"
import { TriggersPane } from "./triggers-pane.tsx"
import { panelStrings as words } from "../state/strings/shelf.ts"
import { type Tab, Tabs } from "../controls/tabs.tsx"

interface ShelfTab extends Tab {
  /** What the server must have for it. */
  readonly route?: string
}

const TABS: readonly ShelfTab[] = [
  {
    name: words.commands,
    children: () => <CommandsPane kinds={isNoSkill} none={words.noCommands} />,
  },
  { name: words.skills, children: () => <CommandsPane kinds={isSkill} none={words.noSkills} /> },
  { name: words.files, children: () => <Files />, route: "get /v1/files" },
  { name: words.agents, children: () => <Agents />, route: "get /v1/agents" },
  { name: words.servers, children: () => <Servers />, route: "get /v1/mcp" },
  { name: words.memory, children: () => <MemoryPane />, route: "get /v1/memory" },
  { name: words.triggers, children: () => <TriggersPane />, route: "get /v1/triggers" },
  { name: words.models, children: () => <Models /> },
  { name: words.doctor, children: () => <Doctor /> },
]

/** What is at hand, where it comes from and what is wrong with it. What the server does not have is
 *  not shown. */
export default function Shelf({ onClose }: { onClose: () => void }) {
  const routes = useStore((state) => state.routes)
  const tabs = TABS.filter(({ route }) => route === undefined || routes.has(route))
  return (
    <Panel wide title={words.title} close={words.close} onClose={onClose} about={words.about}>
      <Tabs label={words.title} tabs={tabs} />
    </Panel>
  )
}
