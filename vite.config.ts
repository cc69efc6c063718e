import { join } from "node:path"
import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  root: join(import.meta.dirname, "src", "web"),
  plugins: [react(), tailwind()],
  build: {
    outDir: join(import.meta.dirname, "dist", "web"),
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500,
    // What a schema says is not needed where only its type is used.
    rolldownOptions: {
      treeshake: { manualPureFunctions: ["z"] },
      // Few ever need the schemas themselves: they come when they are asked for.
      output: { codeSplitting: { groups: [{ name: "schemas", test: /node_modules\/zod\// }] } },
    },
  },
})
