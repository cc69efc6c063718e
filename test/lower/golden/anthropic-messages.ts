import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages"
import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through anthropic-messages, for every row. */
const VISION = {
  text: {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "Say hi." }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, text": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, range": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, image": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, large": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, directory": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "List" },
          { type: "text", text: "[file: docs. Not shown: docs is a directory.]" },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "file-ref, missing": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Open" },
          { type: "text", text: "[file: gone.ts. Not shown: gone.ts does not exist.]" },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "directory-ref": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, image": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
          { type: "text", text: "Describe it." },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, pdf": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Sum up" },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjcK" },
            title: "a.pdf",
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, audio": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Transcribe" },
          {
            type: "text",
            text: "[attached file: a.wav, audio/wav, 44 bytes. Not shown: the anthropic-messages API carries no audio.]",
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, video": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Watch" },
          {
            type: "text",
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the anthropic-messages API carries no video.]",
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, office": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Read" },
          {
            type: "text",
            text: "[attached file: a.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 170 bytes. Not shown: the anthropic-messages API carries no office documents.]",
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, csv": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Add up" },
          { type: "text", text: "Attached file a.csv:\na,b\n1,2\n" },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, unknown binary": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "command, host action": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "Then go on." }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "command, result": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "errors" }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "command, pass-through": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "/frobnicate now" }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "mention, skill": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "Be strict." }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "mention, file": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "File docs/readme.md:\n# Read me\n" },
          { type: "text", text: "Fix it." },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "mention, symbol": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "mention, other": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "And now?" }] }],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "editor-context": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "skill-content": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "skill", description: "Load a skill.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look at my change.", cache_control: { type: "ephemeral" } },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "GKR2O5bDW",
            name: "skill",
            input: { name: "review", arguments: "strict" },
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "GKR2O5bDW",
            content: [{ type: "text", text: "Read the diff twice." }],
          },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "tool result, image": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "attach", description: "Show a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "11WpZzBfC", name: "attach", input: { path: "logo.png" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "11WpZzBfC",
            content: [
              { type: "text", text: "3 x 2" },
              {
                type: "image",
                source: {
                  type: "base64",
                  media_type: "image/png",
                  data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
                },
              },
            ],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "tool result, pdf": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "attach", description: "Show a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "11WpZzBfC", name: "attach", input: { path: "a.pdf" } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "11WpZzBfC",
            content: [
              { type: "text", text: "1 page" },
              {
                type: "document",
                source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjcK" },
                title: "a.pdf",
              },
            ],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "tool result, wav": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "attach", description: "Show a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Listen." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "11WpZzBfC", name: "attach", input: { path: "a.wav" } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "11WpZzBfC",
            content: [
              { type: "text", text: "1 second" },
              {
                type: "text",
                text: "[audio: a.wav, audio/wav, 44 bytes. Not shown: the anthropic-messages API carries no audio.]",
              },
            ],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  reasoning: {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Why?", cache_control: { type: "ephemeral" } }],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I wonder.", signature: "c2ln" },
          { type: "text", text: "Because." },
        ],
      },
      { role: "user", content: [{ type: "text", text: "I see." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "unknown part": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Roses are red." },
          { type: "text", text: "[unsupported part: dance]" },
        ],
      },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
} satisfies Readonly<Record<RowName, MessageCreateParamsStreaming>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, image": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "attachment, pdf": {
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
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
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "tool result, image": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "attach", description: "Show a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "11WpZzBfC", name: "attach", input: { path: "logo.png" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "11WpZzBfC",
            content: [
              { type: "text", text: "3 x 2" },
              {
                type: "text",
                text: "[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
              },
            ],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
  "tool result, pdf": {
    model: "claude-x",
    max_tokens: 100,
    tools: [{ name: "attach", description: "Show a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "11WpZzBfC", name: "attach", input: { path: "a.pdf" } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "11WpZzBfC",
            content: [
              { type: "text", text: "1 page" },
              {
                type: "text",
                text: "[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
              },
            ],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
    stream: true,
    cache_control: { type: "ephemeral" },
  },
} satisfies Readonly<Record<RowName, MessageCreateParamsStreaming>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
