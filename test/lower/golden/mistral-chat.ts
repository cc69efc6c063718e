import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through mistral-chat, for every row. */
const VISION = {
  text: {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Say hi." }] },
    ],
  },
  "file-ref, text": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look at" },
          {
            type: "text",
            text: "File src/a.ts:\nexport const a = 1\nexport const b = 2\nexport const c = 3\n",
          },
        ],
      },
    ],
  },
  "file-ref, range": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "File src/a.ts, lines 2-3:\nexport const b = 2\nexport const c = 3",
          },
          { type: "text", text: "Why?" },
        ],
      },
    ],
  },
  "file-ref, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          {
            type: "image_url",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
        ],
      },
    ],
  },
  "file-ref, large": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Find the error in" },
          {
            type: "text",
            text: "[file: big.log, text/plain, 42,000 bytes. Not shown: it is larger than 32,768 bytes. Use read on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "file-ref, directory": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "List" },
          { type: "text", text: "[file: docs. Not shown: docs is a directory.]" },
        ],
      },
    ],
  },
  "file-ref, missing": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Open" },
          { type: "text", text: "[file: gone.ts. Not shown: gone.ts does not exist.]" },
        ],
      },
    ],
  },
  "directory-ref": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Search" },
          {
            type: "text",
            text: "[directory: docs (dir_1), read only. Its contents are not included.]",
          },
        ],
      },
    ],
  },
  "attachment, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          {
            type: "image_url",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
          { type: "text", text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Sum up" },
          {
            type: "document_url",
            document_url: "data:application/pdf;base64,JVBERi0xLjcK",
            document_name: "a.pdf",
          },
        ],
      },
    ],
  },
  "attachment, audio": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Transcribe" },
          {
            type: "input_audio",
            input_audio: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
          },
        ],
      },
    ],
  },
  "attachment, video": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Watch" },
          {
            type: "text",
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the mistral-chat API carries no video.]",
          },
        ],
      },
    ],
  },
  "attachment, office": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Read" },
          {
            type: "text",
            text: "[attached file: a.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 170 bytes. Not shown: the mistral-chat API carries no office documents.]",
          },
        ],
      },
    ],
  },
  "attachment, csv": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Add up" },
          { type: "text", text: "Attached file a.csv:\na,b\n1,2\n" },
        ],
      },
    ],
  },
  "attachment, unknown binary": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Guess" },
          {
            type: "text",
            text: "[attached file: a.bin, application/octet-stream, 4 bytes. Not shown: models do not read this format.]",
          },
        ],
      },
    ],
  },
  "command, host action": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Then go on." }] },
    ],
  },
  "command, result": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "errors" }] },
    ],
  },
  "command, pass-through": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "/frobnicate now" }] },
    ],
  },
  "mention, skill": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Be strict." }] },
    ],
  },
  "mention, file": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "File docs/readme.md:\n# Read me\n" },
          { type: "text", text: "Fix it." },
        ],
      },
    ],
  },
  "mention, symbol": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: '<editor_context kind="ref">{"kind":"symbol","name":"parse"}</editor_context>',
          },
          { type: "text", text: "Explain." },
        ],
      },
    ],
  },
  "mention, other": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "And now?" }] },
    ],
  },
  "editor-context": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Make it blue." },
          {
            type: "text",
            text: '<editor_context kind="selection" source="canvas">{"node":7,"name":"\\u003c/editor_context\\u003e"}</editor_context>',
          },
        ],
      },
    ],
  },
  "skill-content": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "skill", description: "Load a skill.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look at my change." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "GKR2O5bDW",
            type: "function",
            function: { name: "skill", arguments: '{"name":"review","arguments":"strict"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "GKR2O5bDW", name: "skill", content: "Read the diff twice." },
    ],
  },
  "tool result, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"logo.png"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content: [
          { type: "text", text: "3 x 2" },
          {
            type: "image_url",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
        ],
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"a.pdf"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content: [
          { type: "text", text: "1 page" },
          {
            type: "document_url",
            document_url: "data:application/pdf;base64,JVBERi0xLjcK",
            document_name: "a.pdf",
          },
        ],
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, wav": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Listen." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"a.wav"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content: [
          { type: "text", text: "1 second" },
          {
            type: "input_audio",
            input_audio: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
          },
        ],
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  reasoning: {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
      { role: "assistant", content: "Because." },
      { role: "user", content: [{ type: "text", text: "I see." }] },
    ],
  },
  "unknown part": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Roses are red." },
          { type: "text", text: "[unsupported part: dance]" },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          {
            type: "text",
            text: "[file: logo.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images. Use read_image on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "attachment, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "[attached file: a.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images.]",
          },
          { type: "text", text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Sum up" },
          {
            type: "text",
            text: "[attached file: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
          },
        ],
      },
    ],
  },
  "attachment, audio": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Transcribe" },
          {
            type: "text",
            text: "[attached file: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
          },
        ],
      },
    ],
  },
  "tool result, image": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"logo.png"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content:
          "3 x 2\n\n[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"a.pdf"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content:
          "1 page\n\n[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, wav": {
    model: "mistral-x",
    max_tokens: 100,
    stream: true,
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Listen." }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "11WpZzBfC",
            type: "function",
            function: { name: "attach", arguments: '{"path":"a.wav"}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "11WpZzBfC",
        name: "attach",
        content:
          "1 second\n\n[audio: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
      },
      { role: "assistant", content: "(reading the results)" },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
