import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions"
import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through openai-chat, for every row. */
const VISION = {
  text: {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Say hi." }] },
    ],
  },
  "file-ref, text": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
        ],
      },
    ],
  },
  "file-ref, large": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
          { type: "text", text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Sum up" },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjcK" },
          },
        ],
      },
    ],
  },
  "attachment, audio": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Transcribe" },
          {
            type: "input_audio",
            input_audio: {
              data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
              format: "wav",
            },
          },
        ],
      },
    ],
  },
  "attachment, video": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Watch" },
          {
            type: "text",
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the openai-chat API carries no video.]",
          },
        ],
      },
    ],
  },
  "attachment, office": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Read" },
          {
            type: "text",
            text: "[attached file: a.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 170 bytes. Not shown: the openai-chat API carries no office documents.]",
          },
        ],
      },
    ],
  },
  "attachment, csv": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Then go on." }] },
    ],
  },
  "command, result": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "errors" }] },
    ],
  },
  "command, pass-through": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "/frobnicate now" }] },
    ],
  },
  "mention, skill": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Be strict." }] },
    ],
  },
  "mention, file": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "And now?" }] },
    ],
  },
  "editor-context": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "skill", description: "Load a skill.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look at my change." }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "GKR2O5bDW",
            type: "function",
            function: { name: "skill", arguments: '{"name":"review","arguments":"strict"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "GKR2O5bDW", content: "Read the diff twice." },
    ],
  },
  "tool result, image": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: null,
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
        content: "3 x 2\n\n[logo.png, image/png: shown after this result]",
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[logo.png, from attach]" },
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: null,
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
        content: "1 page\n\n[a.pdf, application/pdf: shown after this result]",
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[a.pdf, from attach]" },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjcK" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, wav": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Listen." }] },
      {
        role: "assistant",
        content: null,
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
        content: "1 second\n\n[a.wav, audio/wav: shown after this result]",
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[a.wav, from attach]" },
          {
            type: "input_audio",
            input_audio: {
              data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
              format: "wav",
            },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  reasoning: {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
      { role: "assistant", content: "Because." },
      { role: "user", content: [{ type: "text", text: "I see." }] },
    ],
  },
  "unknown part": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "Roses are red." },
          { type: "text", text: "[unsupported part: dance]" },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, ChatCompletionCreateParamsStreaming>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "developer", content: "Be kind." },
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
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: null,
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
        content:
          "3 x 2\n\n[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: null,
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
        content:
          "1 page\n\n[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
  "tool result, wav": {
    model: "gpt-x",
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "attach", description: "Show a file.", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Listen." }] },
      {
        role: "assistant",
        content: null,
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
        content:
          "1 second\n\n[audio: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ],
  },
} satisfies Readonly<Record<RowName, ChatCompletionCreateParamsStreaming>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
