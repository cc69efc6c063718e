// Loaded into npm before it starts. npm leaves out optional packages that do not suit the Node it runs
// on, whatever it is told; ours will run on the Node that is itself among them. npm alone is told so:
// the scripts of packages see the Node that runs them.

const path = require("node:path")
const process = require("node:process")

const { COMPOSITOR_NODE: version } = process.env
const isNpm = ["npm", "npm-cli.js"].includes(path.basename(process.argv[1] ?? ""))
if (version && isNpm) Object.defineProperty(process, "version", { value: version })
