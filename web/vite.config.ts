import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Every name in assets/ changes with its content: the server lets browsers keep those files for good.
export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 600 },
  // `npm run dev` beside a server: AMBIT_SERVER names it.
  server: {
    proxy: Object.fromEntries(
      ["/api", "/session"].map((path) => [path, process.env.AMBIT_SERVER ?? "http://127.0.0.1:8080"]),
    ),
  },
});
