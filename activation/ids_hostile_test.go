package activation

import "testing"

func TestIDsThatModelsHaveGoodReasonForAreNotMadeUp(t *testing.T) {
	const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	const learned = `[{"id":"AB1C2D"},{"id":"XY9Z8W"},{"key":"PROJ-123"},{"key":"PROJ-124"},{"sha_id":"9fceb02d0ae598e95dc970b74767f19372d61af8"},{"sha_id":"1fceb02d0ae598e95dc970b74767f19372d61af9"},{"order_number":7654321},{"order_number":7654322},{"id":"a1b2c3d"},{"id":"d4e5f6a"},{"item_id":"AA-10011"},{"item_id":"AA-10012"},{"names":["us-east-1","eu-west-2"]}]`
	tests := []struct{ name, seen, args string }{
		{"owner, repository and number", "see tooltrail/core, issue 4312", `{"ref":"tooltrail/core#4312","issue_key":"core-4312"}`},
		{"a prefix before a number that was seen", "order 4471 please", `{"order_id":"AA-4471"}`},
		{"a prefix before a short number that was seen", "ticket 12, project PROJ", `{"key":"PROJ-12"}`},
		{"a prefix before a learned shape's number", "ticket 125", `{"key":"PROJ-125"}`},
		{"a number with zeros before it", "ticket 42", `{"ticket_id":"TCK-0042"}`},
		{"a number with zeros before it, glued", "invoice 42 of 2024", `{"invoice_id":"INV0042"}`},
		{"a year and a number", "invoice 42 of 2024", `{"invoice_id":"INV-2024-0042"}`},
		{"a prompt's id in capitals", "ACCOUNT: ZX81AB", `{"id":"zx81ab"}`},
		{"a prompt's id without dashes", "account 81-22-4410", `{"account_id":"81224410"}`},
		{"a prompt's id with dots", "account 81.22.4410", `{"account_id":"81224410"}`},
		{"a prompt's id with slashes", "account 81/22/4410", `{"account_id":"81224410"}`},
		{"a uuid in capitals", "node 3F2504E0-4F89-41D3-9A0C-0305E82C3301", `{"node_id":"` + uuid + `"}`},
		{"a uuid in braces", "{" + uuid + "}", `{"node_id":"` + uuid + `"}`},
		{"a uuid as urn", "urn:uuid:" + uuid, `{"node_id":"` + uuid + `"}`},
		{"a uuid that was seen with dashes", "node " + uuid, `{"node_id":"3f2504e04f8941d39a0c0305e82c3301"}`},
		{"a commit's prefix of seven", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", `{"commit_id":"9fceb02"}`},
		{"a commit's prefix of twelve", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", `{"sha_id":"9fceb02d0ae5"}`},
		{"a uuid's first part", "node " + uuid, `{"id":"3f2504e0"}`},
		{"an id's end", "job 01HZX3K9V7J8QWERTY", `{"id":"QWERTY1"}`},
		{"today", "", `{"id":"2026-11-30","date_id":"20261130","day_key":"30112026","ref_id":"30.11.2026","report_key":"report-2026-11-30","run_id":"run_20261130","week_key":"2026-W48","quarter_id":"2026-Q4","q_key":"Q4-2026"}`},
		{"a day with a time", "", `{"backup_id":"backup_20261130T101112","snapshot_id":"snapshot-2026-11-30-1011","log_key":"logs/2026/11/30"}`},
		{"a time in seconds", "", `{"since_id":1764500000,"ref_id":"1764500000123"}`},
		{"a key to be made up", "", `{"idempotency_key":"` + uuid + `","new_id":"` + uuid + `","request_id":"` + uuid + `","client_order_id":"ord_991234","clientRequestToken":"` + uuid + `","external_id":"ext_991234","external_reference":"ref_12345678"}`},
		{"a file", "", `{"file_id":"report_12345.pdf","key":"uploads/card_5634230.png","object_key":"img_1234.jpg"}`},
		{"a version", "", `{"version_id":"v1.24.5","release_key":"1.24.5-rc1","ref":"release-2024","tag_ref":"v20241130","ref_key":"go1.24"}`},
		{"a branch", "", `{"ref":"feature-1234","branch_ref":"fix-12345-login"}`},
		{"a phone number", "", `{"phone_number":"+49 30 1234567","contact_number":"0301234567","mobile_number":"01701234567","telephone_number":"5551234567","whatsapp_number":"491701234567","tel_number":"5551234567","cell_number":"5551234567","number":"5551234567"}`},
		{"a zip code", "", `{"zip":"94105","zip_id":"94105-1234","postal_code_id":"94105","plz_key":"10115"}`},
		{"a product's model", "", `{"model_id":"gpt-4o-2024-08-06","product_key":"iphone-15","device_id":"pixel-8","part_key":"RTX-4090","model_key":"claude-3-5-sonnet-20241022","aircraft_id":"A320-200","engine_key":"V8-5000","cpu_key":"i7-13700","gpu_id":"RTX4090"}`},
		{"a URL", "", `{"ref":"https://example.com/card_5634230","resource_id":"https://x.y/3f2504e0-4f89-41d3-9a0c-0305e82c3301"}`},
		{"a cursor one further", "page 7654321 of results", `{"page_id":7654322,"cursor_id":"page_7654322","offset_key":100000,"start_id":100001}`},
		{"a round number", "", `{"max_id":1000000,"min_id":100000,"limit_id":"9999999"}`},
		{"a test number", "", `{"card_number":"4111111111111111"}`},
		{"well known placeholders", "", `{"id":"00000000-0000-0000-0000-000000000001"}`},
		{"a number in words", "seven million six hundred", `{"amount_number":7600000}`},
		{"standards", "", `{"spec_id":"ISO-27001","rfc_key":"RFC-9110","error_key":"E1234","cve_id":"CVE-2021-44228","doc_key":"NIST-800-53","iso_id":"ISO27001","isbn_number":"9783161484100","doi_ref":"10.1000/182","port_number":"8080","color_id":"ff0000aa","gate_number":"B1234"}`},
		{"a ticker and a currency", "", `{"pair_key":"EUR-1000"}`},
		{"items that the caller numbers", "", `{"nodes":[{"id":"node_1001"},{"id":"node_1002"}],"edges":[{"from_id":"node_1001","to_id":"node_1002"}]}`},
		{"regions and the like", "", `{"region_id":"ap-south-1","zone_key":"use1-az1","bucket_key":"ap-south-9","step_id":"step-12"}`},
		{"base64 of what was seen", "", `{"cursor_id":"Y3Vyc29yOjEwMA==","after_key":"b2Zmc2V0OjIw"}`},
		{"percent-encoded", "id is card_5634230", `{"id":"card%5F5634230"}`},
		{"a colon in the place of a dash", "ticket PROJ:9123", `{"key":"PROJ-9123"}`},
		{"a hash before a number", "ticket #9123 in PROJ", `{"key":"PROJ-9123"}`},
		{"full width digits", "ticket PROJ-９１２３", `{"key":"PROJ-9123"}`},
		{"a soft hyphen", "card_563\u00ad4230", `{"id":"card_5634230"}`},
		{"dashes of typographers", "ticket PROJ\u20139123 and PROJ\u20119124", `{"key":"PROJ-9123","b_key":"PROJ-9124"}`},
		{"a number in groups of other countries", "order 5.634.230, 5'634'231, 5\u202f634\u202f232, 5\u00a0634\u00a0233 or 56/34/234", `{"order_ids":[5634230,5634231,5634232,5634233,5634234]}`},
		{"a name with the time", "", `{"backup_id":"backup-1764500000","run_key":"run_1764500000123"}`},
		{"names for tests", "", `{"user_id":"test_12345","order_id":"example-123456"}`},
		{"a line break within", "account 8122\n4410", `{"account_id":"81224410"}`},
		{"an id in bold", "**card**_5634230 or <b>card</b>_5634230", `{"id":"card_5634230"}`},
		{"an id with spaces in text", "card 5634 230 1", `{"card_id":"card_56342301"}`},
		{"a number of words and parts", "house 12, unit 3456", `{"unit_id":"12-3456"}`},
	}
	for _, tt := range tests {
		for _, result := range []string{"", learned} {
			ids := newIDs()
			ids.See(tt.seen)
			ids.Learn(result)
			if got := flagged(ids, tt.args); got != "" {
				t.Errorf("%s (learned %v): flagged %q", tt.name, result != "", got)
			}
		}
	}
}
