import { tortureFaults } from "./faults.ts"
console.log(await tortureFaults({ first: 300, points: Number(process.argv[2]) }))
