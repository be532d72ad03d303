-- What an edited approval sent, in words: the card's own words stay as they were asked.
alter table approvals add column sent text;
