import { killPoints } from "./kill-points.ts"
import { tortureFaults } from "./faults.ts"
if (process.argv[2] === "kill") await killPoints({ points: Number(process.argv[3]) })
else await tortureFaults({ first: 300, points: Number(process.argv[3]) })
