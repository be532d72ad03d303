import { defineConfig } from '@playwright/test';

// `cargo xtask test` starts this, and sets where the desk runs and which browser drives it.
export default defineConfig({
  testDir: './journeys',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  // Every journey has its own people. The longest journeys start first, so that none is left running alone.
  fullyParallel: true,
  workers: 2,
  projects: [{ name: 'main', testMatch: 'main.spec.ts' }, { name: 'desk', testIgnore: 'main.spec.ts' }],
  outputDir: process.env.RESULTS ?? './test-results',
  use: {
    baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:3000',
    viewport: { width: 1440, height: 1000 },
    // Recording every step slows every journey down; `TRACE=1 cargo xtask test --only browser` turns it on.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    },
  },
});
