import { join } from "node:path"
import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  root: join(import.meta.dirname, "apps", "web"),
  plugins: [react(), tailwind()],
  build: {
    outDir: join(import.meta.dirname, "dist", "web"),
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500,
    // What a schema says is not needed where only its type is used.
    rolldownOptions: { treeshake: { manualPureFunctions: ["z"] } },
  },
})
