import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through bedrock-converse, for every row. */
const VISION = {
  text: {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "Say hi." }, { cachePoint: { type: "default" } }] },
    ],
  },
  "file-ref, text": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Look at" },
          { text: "File src/a.ts:\nexport const a = 1\nexport const b = 2\nexport const c = 3\n" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "file-ref, range": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "File src/a.ts, lines 2-3:\nexport const b = 2\nexport const c = 3" },
          { text: "Why?" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "file-ref, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "What is this?" },
          {
            image: {
              format: "png",
              source: { bytes: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA" },
            },
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "file-ref, large": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Find the error in" },
          {
            text: "[file: big.log, text/plain, 42,000 bytes. Not shown: it is larger than 32,768 bytes. Use read on this path for its contents.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "file-ref, directory": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "List" },
          { text: "[file: docs. Not shown: docs is a directory.]" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "file-ref, missing": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Open" },
          { text: "[file: gone.ts. Not shown: gone.ts does not exist.]" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "directory-ref": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Search" },
          { text: "[directory: docs (dir_1), read only. Its contents are not included.]" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          {
            image: {
              format: "png",
              source: { bytes: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA" },
            },
          },
          { text: "Describe it." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, pdf": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Sum up" },
          {
            document: {
              format: "pdf",
              name: "document-1",
              source: { bytes: "JVBERi0xLjcK" },
              citations: { enabled: true },
            },
          },
          { text: "(The documents are above.)" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, audio": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Transcribe" },
          {
            audio: {
              format: "wav",
              source: { bytes: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=" },
            },
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, video": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Watch" },
          {
            video: {
              format: "mp4",
              source: { bytes: "AAAAGGZ0eXBpc29tAAACAGlzb21pc28yAAAACG1kYXQ=" },
            },
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, office": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Read" },
          {
            document: {
              format: "docx",
              name: "document-1",
              source: {
                bytes:
                  "UEsDBBQAAAAAAAAAAAAAAAAAeQAAAHkAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbDxUeXBlcz48T3ZlcnJpZGUgQ29udGVudFR5cGU9ImFwcGxpY2F0aW9uL3ZuZC5vcGVueG1sZm9ybWF0cy1vZmZpY2Vkb2N1bWVudC53b3JkcHJvY2Vzc2luZ21sLmRvY3VtZW50Lm1haW4reG1sIi8+PC9UeXBlcz4=",
              },
            },
          },
          { text: "(The documents are above.)" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, csv": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Add up" },
          { text: "Attached file a.csv:\na,b\n1,2\n" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, unknown binary": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Guess" },
          {
            text: "[attached file: a.bin, application/octet-stream, 4 bytes. Not shown: models do not read this format.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "command, host action": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "Then go on." }, { cachePoint: { type: "default" } }] },
    ],
  },
  "command, result": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "errors" }, { cachePoint: { type: "default" } }] },
    ],
  },
  "command, pass-through": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "/frobnicate now" }, { cachePoint: { type: "default" } }] },
    ],
  },
  "mention, skill": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "Be strict." }, { cachePoint: { type: "default" } }] },
    ],
  },
  "mention, file": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "File docs/readme.md:\n# Read me\n" },
          { text: "Fix it." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "mention, symbol": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: '<editor_context kind="ref">{"kind":"symbol","name":"parse"}</editor_context>' },
          { text: "Explain." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "mention, other": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "And now?" }, { cachePoint: { type: "default" } }] },
    ],
  },
  "editor-context": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Make it blue." },
          {
            text: '<editor_context kind="selection" source="canvas">{"node":7,"name":"\\u003c/editor_context\\u003e"}</editor_context>',
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "skill-content": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "skill",
            description: "Load a skill.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      {
        role: "user",
        content: [{ text: "Look at my change." }, { cachePoint: { type: "default" } }],
      },
      {
        role: "assistant",
        content: [
          {
            toolUse: {
              toolUseId: "GKR2O5bDW",
              name: "skill",
              input: { name: "review", arguments: "strict" },
            },
          },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "GKR2O5bDW", content: [{ text: "Read the diff twice." }] } },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Look." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "logo.png" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [
                { text: "3 x 2" },
                {
                  image: {
                    format: "png",
                    source: {
                      bytes: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
                    },
                  },
                },
              ],
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, pdf": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Look." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "a.pdf" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [
                { text: "1 page" },
                {
                  document: {
                    format: "pdf",
                    name: "document-1",
                    source: { bytes: "JVBERi0xLjcK" },
                  },
                },
              ],
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, wav": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Listen." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "a.wav" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [{ text: "1 second\n\n[a.wav, audio/wav: shown after this result]" }],
            },
          },
          { text: "[a.wav, from attach]" },
          {
            audio: {
              format: "wav",
              source: { bytes: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=" },
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  reasoning: {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      { role: "user", content: [{ text: "Why?" }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "I wonder.", signature: "c2ln" } } },
          { text: "Because." },
        ],
      },
      { role: "user", content: [{ text: "I see." }, { cachePoint: { type: "default" } }] },
    ],
  },
  "unknown part": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Roses are red." },
          { text: "[unsupported part: dance]" },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "What is this?" },
          {
            text: "[file: logo.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images. Use read_image on this path for its contents.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          {
            text: "[attached file: a.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images.]",
          },
          { text: "Describe it." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, pdf": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Sum up" },
          {
            text: "[attached file: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, audio": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Transcribe" },
          {
            text: "[attached file: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "attachment, video": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    messages: [
      {
        role: "user",
        content: [
          { text: "Watch" },
          {
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the model does not take video.]",
          },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, image": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Look." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "logo.png" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [
                {
                  text: "3 x 2\n\n[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
                },
              ],
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, pdf": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Look." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "a.pdf" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [
                {
                  text: "1 page\n\n[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
                },
              ],
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
  "tool result, wav": {
    system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
    inferenceConfig: { maxTokens: 100 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "attach",
            description: "Show a file.",
            inputSchema: { json: { type: "object" } },
          },
        },
        { cachePoint: { type: "default" } },
      ],
    },
    messages: [
      { role: "user", content: [{ text: "Listen." }, { cachePoint: { type: "default" } }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "11WpZzBfC", name: "attach", input: { path: "a.wav" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "11WpZzBfC",
              content: [
                {
                  text: "1 second\n\n[audio: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
                },
              ],
            },
          },
          { text: "Go on." },
          { cachePoint: { type: "default" } },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
